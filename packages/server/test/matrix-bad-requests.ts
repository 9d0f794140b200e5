/** Bad requests, generated: wrong types and sizes, broken JSON and encodings, odd headers, tricks of every old kind. */
import fc from 'fast-check';
import { paramNamesOf } from '../src/http/route.ts';
import { type FormPart, formOf } from './matrix-items.ts';
import { type RouteOutline, valueOfNothing } from './matrix-paths.ts';

export const credentials = ['owner', 'access key', 'browser', 'stranger', 'none'] as const;

/** A request as a plan: what is large or must name something real is filled in when it is sent. */
export interface BadRequest {
  readonly credential: (typeof credentials)[number];
  /** By name; `real` names something in the scene, `nothing` is well formed and names nothing. */
  readonly params: Readonly<Record<string, 'real' | 'nothing' | { readonly raw: string }>>;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BadBody | undefined;
}

export type BadBody =
  | { readonly text: string }
  | { readonly hex: string }
  | { readonly utf16: string }
  | { readonly before: string; readonly repeated: string; readonly times: number; readonly after: string };

/** What old attacks and careless clients send. */
const tricks = [
  "' or 1=1 --",
  "'; drop table users; --",
  '" or ""="',
  '\\',
  '%',
  '_',
  '%%',
  '$1',
  '?1',
  ':id',
  '*',
  '../../etc/passwd',
  '..\\..\\windows',
  '%2e%2e%2f',
  '%00',
  '\0',
  'a\0b',
  '\u{feff}',
  '\u202egnp.exe',
  '😀'.repeat(61),
  'é'.normalize('NFD'),
  '\ud800',
  'x\udc00y',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '#{7*7}',
  '\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '-1',
  '0',
  '0x10',
  '1e3',
  '99999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '0199A7C4-3B1E-7C52-9D6F-2F4F0F6F1C11',
  '{0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11}',
  '2026-02-30T00:00:00Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999999+14:00',
  '-271821-04-20T00:00:00Z',
  ' ',
  '',
];

/** Raw percent-encodings: bad digits, overlong UTF-8, surrogates in UTF-8, dots and slashes that are not what they seem. */
const encodings = [
  '%',
  '%zz',
  '%e0%a4%a',
  '%c0%af',
  '%c0%ae%c0%ae%c0%af',
  '%f0%82%82%ac',
  '%ed%a0%80',
  '%ff%fe',
  '%00',
  '%2e%2e',
  '%2e%2e%2f%2e%2e',
  '..%2f',
  '%2f',
  '%5c',
  '%0d%0aX-Evil:1',
  '%u0041',
  '+',
  '%20',
  '%F0%9F%98%80',
];

const anyString = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...tricks) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 80 }) },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((length) => 'x'.repeat(length)) },
);

/** The text of some JSON value; as text, since an object can’t hold `__proto__`, or a key twice. */
const anyJson = fc.oneof(
  { weight: 4, arbitrary: anyString.map((text) => JSON.stringify(text)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['null', 'true', 'false', '0', '-1', '-0', '1.5', '1e308', '1e999', '2147483648', '99999999999999999999', '[]', '{}', '[[]]'],
      ...[
        '[null]',
        '{"a":1}',
        '{"a":1,"a":2}',
        '{"__proto__":{"x":1}}',
        '{"constructor":{"prototype":{"x":1}}}',
        '{"toString":1}',
        '"\\ud83d"',
      ],
    ),
  },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) },
);

/** A good body with some of its fields gone, replaced or doubled. */
function spoiled(example: Record<string, unknown>): fc.Arbitrary<BadBody> {
  const field = (key: string): fc.Arbitrary<string[]> =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant<string[]>([member(key, JSON.stringify(example[key]))]) },
      { weight: 3, arbitrary: anyJson.map((value) => [member(key, value)]) },
      { weight: 1, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: anyJson.map((value) => [member(key, JSON.stringify(example[key])), member(key, value)]) },
    );
  const extra = fc.oneof(
    { weight: 6, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('__proto__', 'constructor', 'id', 'role', ''), anyJson)
        .map(([key, value]) => [member(key, value)]),
    },
    { weight: 1, arbitrary: fc.tuple(anyString, anyJson).map(([key, value]) => [member(key, value)]) },
  );
  return fc.tuple(extra, ...Object.keys(example).map(field)).map((members) => ({ text: `{${members.flat().join(',')}}` }));
}

function member(key: string, value: string): string {
  return `${JSON.stringify(key)}:${value}`;
}

const broken: fc.Arbitrary<BadBody> = fc.oneof(
  anyJson.map((text) => ({ text })),
  fc.json().chain((text) => fc.nat({ max: text.length }).map((cut) => ({ text: text.slice(0, cut) }))),
  fc
    .constantFrom("{'a':1}", '{"a":1,}', '{a:1}', '{"a":NaN}', '{"a":01}', '// no\n{}', '{}{}', '{"a":"\n"}', '\u{feff}{}', 'null', '')
    .map((text) => ({
      text,
    })),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ hex: Buffer.from(bytes).toString('hex') })),
  fc
    .constantFrom('7b2261223a22ff227d', '7b226e616d65223a22c0af78797a227d', '7b226e616d65223a22eda08078797a227d', 'fffe7b007d00')
    .map((hex) => ({ hex })),
  fc.json().map((utf16) => ({ utf16 })),
);

const huge: fc.Arbitrary<BadBody> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 5_000, max: 200_000 }).map((times) => ({ before: '', repeated: '[', times, after: '' })) },
  {
    weight: 8,
    arbitrary: fc
      .integer({ min: 5_000, max: 200_000 })
      .map((times) => ({ before: '{"name":"deep","x":', repeated: '[', times, after: `${']'.repeat(times)}}` })),
  },
  {
    weight: 4,
    arbitrary: fc.integer({ min: 10_000, max: 500_000 }).map((times) => ({ before: '{"name":"', repeated: '😀', times, after: '"}' })),
  },
  { weight: 2, arbitrary: fc.constant({ before: '{"name":"', repeated: 'x', times: 11 * 1024 * 1024, after: '"}' }) },
);

function bodyFor(example: Record<string, unknown> | undefined): fc.Arbitrary<BadBody | undefined> {
  return fc.oneof(
    { weight: 60, arbitrary: spoiled(example ?? { name: 'something', limit: 3 }) },
    { weight: 20, arbitrary: broken },
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: huge },
  );
}

const contentType = fc.oneof(
  { weight: 10, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        '',
        'application/json; charset=utf-16',
        'application/json; charset=latin1',
        'application/json;charset="',
        'APPLICATION/JSON',
        'json',
      ],
      ...[
        'application/vnd.api+json',
        'text/plain',
        'text/html',
        'application/x-www-form-urlencoded',
        'application/octet-stream',
        '*/*',
        ';',
        '/',
      ],
      ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=x', 'multipart/mixed; boundary="a b"'],
      ...['application/json, text/plain', 'application/json\t', `application/${'x'.repeat(5000)}`, '__proto__', 'application/xml'],
    ),
  },
);

/** What a header can hold once the HTTP parser has let it through: latin1 without control characters. */
const headerText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '*',
    '"',
    'W/"',
    '""',
    ',',
    ',,,',
    '"a", W/"b"',
    'x'.repeat(256),
    'x'.repeat(6000),
    'é',
    'ÿþ',
    "' or 1=1 --",
    '__proto__',
    '%00',
  ),
  fc
    .array(
      fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f),
      { maxLength: 60 },
    )
    .map((codes) => String.fromCharCode(...codes).trim()),
);

/** About one request in three carries one of these, some several. */
const oddHeaders = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom(
          'idempotency-key',
          'if-none-match',
          'x-request-id',
          'accept-encoding',
          'accept',
          'origin',
          'sec-fetch-site',
          'user-agent',
          'prefer',
        ),
        headerText,
      ),
      fc.tuple(fc.constant('idempotency-key'), fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 })),
      fc.tuple(
        fc.constant('cookie'),
        fc.constantFrom(
          'commonplace_session=',
          'commonplace_session=%e0%a4%a',
          '=',
          ';;;',
          'a=b; a=c',
          '__proto__=x',
          'commonplace_session="x',
        ),
      ),
      fc.tuple(fc.constantFrom('x-api-key', 'x-access-key'), headerText),
      fc.constantFrom<[string, string]>(
        ['x-forwarded-for', '1.2.3.4, evil'],
        ['x-http-method-override', 'DELETE'],
        ['content-encoding', 'gzip'],
        ['transfer-encoding', 'chunked'],
        ['expect', '100-continue'],
        ['upgrade', 'h2c'],
        ['range', 'bytes=0-'],
        ['host', ''],
        ['host', 'evil.example:99999'],
        ['traceparent', '00-zz-zz-00'],
      ),
    ),
    { maxLength: 2, size: 'max' },
  )
  .chain((pairs) => fc.boolean().map((kept) => Object.fromEntries(kept ? pairs : []) as Record<string, string>));

const queryPart = fc.oneof(
  fc.constantFrom(
    ...[
      'limit=',
      'limit=0',
      'limit=-1',
      'limit=1e3',
      'limit=NaN',
      'limit=0x10',
      'limit=99999999999999999999',
      'limit=101',
      'limit=1.5',
      'limit=%31',
    ],
    ...[
      'limit=1&limit=2',
      'limit[]=1',
      'limit[a]=1',
      'offset=',
      'offset=-1',
      'offset=9007199254740991',
      'offset=999999999999999',
      'offset=1&offset=',
      'a[]=',
      '=',
      '&&&',
    ],
    ...[
      'cursor=',
      'cursor=x',
      'cursor=bnVsbA',
      'cursor=IlwwIg',
      'cursor=e30',
      'cursor=MWUzMDg',
      'cursor=a&cursor=b',
      '__proto__[x]=1',
      'constructor=1',
      'toString=',
    ],
    ...[
      'since=',
      'since=yesterday',
      'since=2026-02-30T00:00:00Z',
      'until=9999-12-31T23:59:59-14:00',
      'since=0000-01-01T00:00:00Z',
      'actorId=%00',
      'action=%ED%A0%80',
    ],
    ...[
      'version=latest',
      'version=v0',
      'version=99999999999',
      'version=-1',
      'id=',
      'id=%00',
      `id=${'x'.repeat(300)}`,
      'status=none',
      'kind=fact&kind=summary',
    ],
  ),
  fc
    .tuple(fc.constantFrom('limit', 'offset', 'id', 'action', 'actorId', 'kind', 'status', 'version', 'x'), fc.constantFrom(...encodings))
    .map((pair) => pair.join('=')),
  anyString.map((text) => `x=${encodeURIComponent(text.toWellFormed())}`),
);

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.array(queryPart, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('&')) },
);

const paramValue = fc.oneof(
  { weight: 14, arbitrary: fc.constant('real' as const) },
  { weight: 2, arbitrary: fc.constant('nothing' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...encodings).map((raw) => ({ raw })) },
  { weight: 1, arbitrary: anyString.map((text) => ({ raw: encodeURIComponent(text.toWellFormed()) })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('x'.repeat(1999), 'x'.repeat(2001), 'é'.repeat(10), '😀', '.', '..', ';a=b', '~', '@', ':x')
      .map((raw) => ({ raw })),
  },
);

/** For what would be deleted: each success costs the test a new scene. */
const rarelyReal = fc.oneof(
  { weight: 1, arbitrary: fc.constant('real' as const) },
  { weight: 5, arbitrary: fc.constant('nothing' as const) },
  { weight: 2, arbitrary: paramValue },
);

/** A form that is nearly right: fields missing, doubled or odd, files of every kind, an end that may not come. */
function spoiledForm({ file, fields }: NonNullable<RouteOutline['upload']>): fc.Arbitrary<BadBody> {
  const names = fc.constantFrom(file, file, ...Object.keys(fields), ...Object.keys(fields), '', '__proto__', 'other');
  const part = fc.record(
    {
      name: names,
      filename: fc.constantFrom('a.txt', 'a.MD', 'a.exe', '', '../../a.txt', 'a\0.txt', '"', '😀.md', `${'x'.repeat(5000)}.txt`),
      content: anyString,
    },
    { requiredKeys: ['name', 'content'] },
  );
  return fc.tuple(fc.array(part, { maxLength: 6 }), fc.boolean()).map(([parts, isWhole]) => {
    const { text } = formOf(parts as FormPart[]);
    return { text: isWhole ? text : text.slice(0, -20) };
  });
}

const formType = fc.oneof({ weight: 8, arbitrary: fc.constant(formOf([]).type) }, { weight: 1, arbitrary: contentType });

export function badRequestTo(route: RouteOutline, example: Record<string, unknown> | undefined): fc.Arbitrary<BadRequest> {
  const hasBody = route.method !== 'GET';
  const names = paramNamesOf(route.path);
  const deleted = route.method === 'DELETE' ? names.at(-1) : undefined;
  return fc
    .record({
      credential: fc.oneof(
        { weight: 12, arbitrary: fc.constant('owner' as const) },
        { weight: 4, arbitrary: fc.constantFrom(...credentials) },
      ),
      params: fc.record(Object.fromEntries(names.map((name) => [name, name === deleted ? rarelyReal : paramValue]))),
      query,
      headers: oddHeaders,
      type: route.upload ? formType : contentType,
      body: route.upload ? spoiledForm(route.upload) : hasBody ? bodyFor(example) : fc.constant(undefined),
    })
    .map(({ type, headers, ...rest }) => ({ ...rest, headers: rest.body ? { 'content-type': type, ...headers } : headers }));
}

/** Path and query; `items` are the values of parameters that name something real. */
export function targetOf({ path }: RouteOutline, { params, query }: BadRequest, items: Readonly<Record<string, string>>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (typeof value === 'object') return value.raw;
    return encodeURIComponent((value === 'real' && items[name]) || valueOfNothing(name));
  });
  return `/api/v1${filled}${query && `?${query}`}`;
}

export function bytesOf(body: BadBody): Buffer {
  if ('text' in body) return Buffer.from(body.text);
  if ('hex' in body) return Buffer.from(body.hex, 'hex');
  if ('utf16' in body) return Buffer.from(body.utf16, 'utf16le');
  return Buffer.from(body.before + body.repeated.repeat(body.times) + body.after);
}

/** Whole requests as bytes, for what no client library would send. */
export const brokenHttp: fc.Arbitrary<string> = fc
  .record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE') },
      { weight: 1, arbitrary: fc.constantFrom('get', 'FOO', 'PROPFIND', 'TRACE', 'OPTIONS', 'QUERY', 'PRI', 'G\tT', '') },
    ),
    target: fc.oneof(
      fc.constantFrom(
        '/api/v1/me',
        '/api/v1/workspaces',
        '/',
        '*',
        '',
        '//',
        '/api/v1//me',
        '/api/v1/../../metrics',
        '/api/v1/%2e%2e/%2e%2e/metrics',
        '/api/v1/me/..;/workspaces',
      ),
      fc.constantFrom(
        'http://evil.example/api/v1/me',
        'http://',
        '/api/v1/me#x',
        '/api/v1/me?',
        '/api/v1/me;x',
        '/api\\v1\\me',
        '/API/V1/ME',
        '/api/v1/me\0',
        `/${'x'.repeat(9000)}`,
      ),
      fc
        .tuple(
          fc.constantFrom('/api/v1/workspaces/', '/api/v1/apiKeys/', '/api/v1/invites/', '/docs/'),
          fc.constantFrom(...encodings, '\xff', '\xc3\xa9', 'a b', '\t', '..'),
        )
        .map((parts) => parts.join('')),
    ),
    version: fc.oneof(
      { weight: 12, arbitrary: fc.constant('HTTP/1.1') },
      { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'HTTP', '') },
    ),
    host: fc.oneof(
      { weight: 12, arbitrary: fc.constant('Host: localhost') },
      { weight: 1, arbitrary: fc.constantFrom('', 'Host:', 'Host: a\r\nHost: b', 'Host: \x01') },
    ),
    headers: fc.array(
      fc.constantFrom(
        ...[
          'X-API-Key: KEY',
          'X-API-Key: KEY',
          'X-API-Key: KEY',
          'X-API-Key: a\r\nX-API-Key: b',
          'x-api-key:',
          'Cookie: a\r\nCookie: b',
          'X-Request-Id: a\r\nX-Request-Id: b',
        ],
        ...[
          'Bad Header: x',
          ': x',
          'X',
          'X-Bad: \x00',
          'X-Bad: \x7f',
          'X-Latin: \xe9\xff',
          ' folded',
          `X-Big: ${'x'.repeat(20_000)}`,
          ...['A', 'B'].map((name) => `${name.repeat(300)}: x`),
        ],
        ...[
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
          'Transfer-Encoding: gzip',
          'Transfer-Encoding: identity, chunked',
          'Content-Length: 0',
          'Content-Length: 2',
        ],
        ...[
          'Content-Length: -1',
          'Content-Length: 1e1',
          'Content-Length: 2\r\nContent-Length: 3',
          'Content-Length: 99999999999999999999',
          'Expect: 100-continue',
          'Expect: x',
          'Upgrade: h2c',
        ],
        ...[
          'Connection: Upgrade\r\nUpgrade: websocket',
          'TE: trailers',
          'Trailer: x',
          'Idempotency-Key: a\r\nIdempotency-Key: b',
          'If-None-Match: *',
          'Accept-Encoding: gzip',
        ],
      ),
      { maxLength: 3 },
    ),
    body: fc.constantFrom(
      '',
      '',
      '',
      '{}',
      '0\r\n\r\n',
      '2\r\n{}\r\n0\r\n\r\n',
      'zz\r\n',
      'ffffffffffffffffff\r\nx',
      '2\r\n{}\r\n0\r\nX: y\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
    ),
  })
  .map(
    ({ method, target, version, host, headers, body }) =>
      `${[`${method} ${target} ${version}`, host, 'Connection: close', ...headers].filter(Boolean).join('\r\n')}\r\n\r\n${body}`,
  );
