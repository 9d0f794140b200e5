/** The API reference: reads this server's OpenAPI document and draws it. No build, no dependency, nothing from elsewhere. */

const DOCUMENT_URL = '/api/v1/openapi.json';
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
/** An example or an "expand all" of a wide schema stops here, so that no document can freeze the page. */
const MAX_NODES = 400;
/** How many arrays or maps a row is looked through for its fields; an array of itself has no end. */
const MAX_LOOK_THROUGH = 4;
const MAX_SHOWN_CHARS = 300_000;
const MAX_CHOICES = 8;

const byId = (id) => document.getElementById(id);
const page = {
  main: byId('page-main'),
  nav: byId('page-nav'),
  sidebar: byId('page-sidebar'),
  menu: byId('page-menu'),
  scrim: byId('page-scrim'),
  filter: byId('page-filter'),
  filterCount: byId('page-filter-count'),
  version: byId('page-version'),
  dialog: byId('page-try'),
  announce: byId('page-announce'),
};

/** What the document says, once read. */
const api = { doc: {}, tags: [], operations: new Map() };

/** What a visitor typed. In memory only, and gone with the page: keys must not outlive it. */
const typed = { scheme: '', keys: new Map(), path: new Map(), forms: new Map() };

// Elements

function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false && child !== ''));
  return element;
}

function icon(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

const icons = {
  copy: 'M7 7V4h9v9h-3M4 7h9v9H4z',
  done: 'm4 10 4 4 8-9',
  close: 'm5 5 10 10M15 5 5 15',
  chevron: 'm7 4 6 6-6 6',
  play: 'M6 4.5v11l9-5.5z',
  link: 'M8.5 11.5a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-.8.8m.8 3.4a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l.8-.8',
  lock: 'M6 9V6.5a4 4 0 0 1 8 0V9M4.5 9h11v8h-11z',
  unlocked: 'M6 9V6.5a4 4 0 0 1 7.8-1.2M4.5 9h11v8h-11z',
};

function announce(text) {
  page.announce.textContent = '';
  requestAnimationFrame(() => {
    page.announce.textContent = text;
  });
}

async function copyText(text) {
  if (window.isSecureContext && navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Over plain http browsers give no clipboard. A modal dialog makes the rest of the page inert, so the field goes inside.
  const field = h('textarea', { class: 'visually-hidden', value: text });
  const focused = document.activeElement;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  focused?.focus();
}

function copyButton(what, getText) {
  const button = h(
    'button',
    { class: 'icon-button', type: 'button', 'aria-label': `Copy ${what}`, title: `Copy ${what}` },
    icon(icons.copy),
  );
  button.addEventListener('click', async () => {
    await copyText(getText());
    button.replaceChildren(icon(icons.done));
    announce('Copied');
    setTimeout(() => button.replaceChildren(icon(icons.copy)), 1500);
  });
  return button;
}

// Text: the small part of Markdown that descriptions use. Built from nodes, so nothing in a description can become markup.

function inline(text) {
  const nodes = [];
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)|\[([^\]]+)\]\(([^)\s]+)\)/g;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, code, strong, emphasis, label, target] = match;
    nodes.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code) nodes.push(h('code', null, code));
    else if (strong) nodes.push(h('strong', null, inline(strong)));
    else if (emphasis) nodes.push(h('em', null, inline(emphasis)));
    else if (/^(https?:\/\/|\/(?!\/)|#)/.test(target)) nodes.push(h('a', { href: target }, inline(label)));
    else nodes.push(label);
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== '');
}

function prose(text, className = 'prose') {
  if (!text) return undefined;
  const box = h('div', { class: className });
  const lines = String(text).replaceAll('\r\n', '\n').split('\n');
  let at = 0;
  const takeWhile = (test) => {
    const taken = [];
    while (at < lines.length && test(lines[at])) taken.push(lines[at++]);
    return taken;
  };
  const starts = /^\s*([-*]\s|\d+\.\s|#{1,6}\s|```|\|)/;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) at++;
    else if (line.trimStart().startsWith('```')) {
      at++;
      const code = takeWhile((next) => !next.trimStart().startsWith('```'));
      at++;
      box.append(h('pre', { class: 'prose-code', tabindex: 0 }, h('code', null, code.join('\n'))));
    } else if (/^#{1,6}\s/.test(line)) {
      at++;
      box.append(h('h3', null, inline(line.replace(/^#+\s+/, ''))));
    } else if (/^\s*([-*]|\d+\.)\s/.test(line)) {
      const marker = /^\s*([-*]|\d+\.)\s+/;
      const list = h(/^\s*\d/.test(line) ? 'ol' : 'ul');
      for (const item of takeWhile((next) => next.trim() && (marker.test(next) || /^\s{2,}/.test(next)))) {
        if (marker.test(item)) list.append(h('li', null, inline(item.replace(marker, ''))));
        else list.lastChild?.append(' ', ...inline(item.trim()));
      }
      box.append(list);
    } else if (line.trimStart().startsWith('|')) {
      const cells = (row) =>
        row
          .trim()
          .replace(/^\||\|$/g, '')
          .split('|');
      const [head, , ...rows] = takeWhile((next) => next.trimStart().startsWith('|'));
      box.append(
        h(
          'div',
          { class: 'prose-table', tabindex: 0 },
          h(
            'table',
            null,
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                cells(head).map((cell) => h('th', { scope: 'col' }, inline(cell.trim()))),
              ),
            ),
            h(
              'tbody',
              null,
              rows.map((row) =>
                h(
                  'tr',
                  null,
                  cells(row).map((cell) => h('td', null, inline(cell.trim()))),
                ),
              ),
            ),
          ),
        ),
      );
    } else {
      at++;
      const rest = takeWhile((next) => next.trim() && !starts.test(next));
      box.append(h('p', null, inline([line, ...rest].join(' '))));
    }
  }
  return box;
}

// Code

const jsonTokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const shellTokens = /("(?:\\.|[^"\\])*"|'(?:[^']|'\\'')*')|(^curl\b)|(\s-{1,2}[A-Za-z][\w-]*)/g;

function highlight(text, pattern, kindOf) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    nodes.push(text.slice(end, match.index));
    const [kind, part, rest] = kindOf(match);
    nodes.push(h('span', { class: `tok-${kind}` }, part), rest ?? '');
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== '');
}

const highlightJson = (text) =>
  highlight(text, jsonTokens, ([whole, string, colon, word]) => {
    if (colon) return ['key', string, colon];
    if (string) return ['string', string];
    return [word ? 'word' : 'number', whole];
  });

/** Text that may break after a slash. */
const breakable = (text) => text.split(/(?<=\/)/).flatMap((part, index) => (index > 0 ? [h('wbr'), part] : [part]));

/** A curl line; the JSON that it sends is coloured as JSON. */
function highlightShell(text) {
  const at = text.indexOf(" -d '{") + 1;
  const line = at > 0 ? text.slice(0, at) : text;
  const nodes = highlight(line, shellTokens, ([whole, string, command]) => [
    string ? 'string' : command ? 'command' : 'flag',
    breakable(whole),
  ]);
  if (at > 0) nodes.push(h('span', { class: 'tok-flag' }, '-d'), " '", ...highlightJson(text.slice(at + 4, -1)), "'");
  return nodes;
}

function codeBlock(text, language, label) {
  const nodes = language === 'json' ? highlightJson(text) : language === 'shell' ? highlightShell(text) : [text];
  return h(
    'pre',
    { class: language === 'shell' ? 'code code-wrap' : 'code', tabindex: 0, role: 'region', 'aria-label': label },
    h('code', null, nodes),
  );
}

const pretty = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

// Schemas

const refName = (ref) => decodeURIComponent(ref.split('/').at(-1) ?? ref);

function lookUp(ref) {
  if (!ref.startsWith('#/')) return {};
  let found = api.doc;
  for (const part of ref.slice(2).split('/')) found = found?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
  return found ?? {};
}

/** Follows `$ref`s; what stands beside one wins over what it points at. A ring of refs ends as an empty schema. */
function deref(input) {
  let schema = input === true || input === undefined || input === null ? {} : input === false ? { not: {} } : input;
  const refs = [];
  while (typeof schema.$ref === 'string') {
    const { $ref, ...beside } = schema;
    if (refs.includes($ref)) return { schema: beside, refs };
    refs.push($ref);
    schema = { ...lookUp($ref), ...beside };
  }
  return { schema, refs };
}

const isNull = (schema) => schema?.type === 'null' || schema?.const === null;

/** A union of every JSON type, as a recursive "any value" is written, is one type to a reader. */
function allowsAnything(variants) {
  const schemas = variants.map((variant) => deref(variant).schema);
  const types = schemas.map((schema) => schema.type);
  return !schemas.some(hasFields) && ['string', 'number', 'boolean', 'array', 'object'].every((type) => types.includes(type));
}

/** One schema as the page shows it: refs followed, allOf merged, null told apart, a lone variant unwrapped. */
function normalize(input, trail = []) {
  const { schema, refs } = deref(input);
  const node = {
    schema: { ...schema },
    refs,
    name: refs[0] ? refName(refs[0]) : '',
    nullable: schema.nullable === true,
    variants: [],
  };
  if (refs.some((ref) => trail.includes(ref))) return { ...node, schema: {} };
  const inner = [...trail, ...refs];

  for (const part of Array.isArray(schema.allOf) ? schema.allOf : []) {
    const merged = normalize(part, inner);
    const { properties, required, description, ...others } = merged.schema;
    node.schema = {
      ...others,
      ...node.schema,
      description: node.schema.description ?? description,
      properties: properties || node.schema.properties ? { ...properties, ...node.schema.properties } : undefined,
      required: [...new Set([...(required ?? []), ...(node.schema.required ?? [])])],
    };
    node.nullable ||= merged.nullable;
    if (merged.variants.length) node.variants = merged.variants;
    node.name ||= schema.allOf.length === 1 ? merged.name : '';
  }

  if (Array.isArray(node.schema.type)) {
    const types = node.schema.type.filter((type) => type !== 'null');
    node.nullable ||= types.length < node.schema.type.length;
    node.schema.type = types.length === 1 ? types[0] : types;
  }
  if (Array.isArray(node.schema.enum) && node.schema.enum.includes(null)) {
    node.nullable = true;
    node.schema.enum = node.schema.enum.filter((value) => value !== null);
  }

  for (const word of ['oneOf', 'anyOf']) {
    if (!Array.isArray(schema[word])) continue;
    const variants = schema[word].filter((variant) => !isNull(deref(variant).schema));
    node.nullable ||= variants.length < schema[word].length;
    if (variants.length === 1) {
      const { [word]: _, nullable: __, ...beside } = schema;
      const only = normalize(variants[0], inner);
      return {
        ...only,
        schema: { ...only.schema, ...beside },
        name: node.name || only.name,
        refs: [...refs, ...only.refs],
        nullable: node.nullable || only.nullable,
      };
    }
    if (!allowsAnything(variants)) node.variants = variants;
  }
  return node;
}

function typeOf({ schema }) {
  if (schema.type) return schema.type;
  if (schema.properties || schema.additionalProperties || schema.patternProperties) return 'object';
  if (schema.items || schema.prefixItems) return 'array';
  if ('const' in schema) return schema.const === null ? 'null' : Array.isArray(schema.const) ? 'array' : typeof schema.const;
  const kinds = new Set((schema.enum ?? []).map((value) => typeof value));
  return kinds.size === 1 ? [...kinds][0] : 'any';
}

const isFile = (schema) =>
  schema.format === 'binary' || schema.contentEncoding === 'binary' || schema.contentMediaType === 'application/octet-stream';
const hasFields = (schema) => Object.keys(schema.properties ?? {}).length > 0;
/** Whether a map says what its values are; `{}` allows anything and says nothing. */
const holdsValues = ({ additionalProperties: values }) => typeof values === 'object' && Object.keys(values).length > 0;

function typeLabel(node, depth = 0) {
  const { schema } = node;
  const orNull = (label) => (node.nullable ? `${label} or null` : label);
  if (depth > 4) return '…';
  if (node.variants.length) {
    const labels = [...new Set(node.variants.map((variant) => typeLabel(normalize(variant), depth + 1)))];
    return orNull(labels.length > 3 || labels.join() === 'object' ? `one of ${node.variants.length}` : labels.join(' or '));
  }
  const type = typeOf(node);
  if (Array.isArray(type)) return orNull(type.join(' or '));
  if (type === 'array') {
    if (schema.prefixItems) return orNull('tuple');
    return orNull(schema.items ? `array of ${typeLabel(normalize(schema.items), depth + 1)}` : 'array');
  }
  if (type === 'object') {
    if (node.name && hasFields(schema)) return orNull(node.name);
    if (!hasFields(schema) && holdsValues(schema))
      return orNull(`map of string to ${typeLabel(normalize(schema.additionalProperties), depth + 1)}`);
    return orNull('object');
  }
  if (type === 'any') return schema.not ? 'never' : 'any JSON value';
  if (isFile(schema)) return orNull('file');
  return orNull(schema.format ? `${type} · ${schema.format}` : type);
}

const plural = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

function range(min, max, noun) {
  if (min !== undefined && max !== undefined)
    return min === max ? `exactly ${plural(min, noun)}` : `${min.toLocaleString('en')} to ${plural(max, noun)}`;
  if (max !== undefined) return `at most ${plural(max, noun)}`;
  if (min !== undefined && min > 0) return `at least ${plural(min, noun)}`;
  return undefined;
}

/** The limits of a value as short sentences. The bounds that every integer has in JavaScript say nothing, so they are left out. */
function limits({ schema }, depth = 0) {
  const min = schema.minimum <= Number.MIN_SAFE_INTEGER ? undefined : schema.minimum;
  const max = schema.maximum >= Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  const texts = [
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(schema.minProperties, schema.maxProperties, 'key'),
    min !== undefined && max !== undefined
      ? `${min} to ${max}`
      : min !== undefined
        ? `${min} or more`
        : max !== undefined
          ? `${max} or less`
          : undefined,
    typeof schema.exclusiveMinimum === 'number' && `more than ${schema.exclusiveMinimum}`,
    typeof schema.exclusiveMaximum === 'number' && `less than ${schema.exclusiveMaximum}`,
    schema.multipleOf !== undefined && `multiple of ${schema.multipleOf}`,
    schema.uniqueItems && 'no duplicates',
    schema.readOnly && 'read only',
    schema.writeOnly && 'write only',
    schema.contentMediaType && !isFile(schema) && `holds ${schema.contentMediaType}`,
  ];
  const keys = schema.propertyNames && range(schema.propertyNames.minLength, schema.propertyNames.maxLength, 'character');
  if (keys) texts.push(`keys of ${keys}`);
  if (schema.type === 'array' && schema.items) {
    const item = normalize(schema.items);
    if (!item.variants.length && depth === 0) texts.push(...limits(item, depth + 1).map((text) => `each: ${text}`));
  }
  return texts.filter(Boolean);
}

/** The enum of a value, or of the items of an array of values. */
function choices({ schema, variants }, depth = 0) {
  if (schema.enum) return schema.enum;
  if ('const' in schema) return [schema.const];
  const inner = variants.map((variant) => deref(variant).schema);
  if (inner.length && inner.every((variant) => 'const' in variant)) return inner.map((variant) => variant.const);
  if (schema.type === 'array' && schema.items && depth < MAX_LOOK_THROUGH) return choices(normalize(schema.items), depth + 1);
  return [];
}

const literal = (value) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

function rules(node) {
  const { schema } = node;
  const parts = limits(node).map((text) => h('span', { class: 'rule' }, text));
  if (schema.default !== undefined) parts.push(h('span', { class: 'rule' }, 'default ', h('code', null, literal(schema.default))));
  if (schema.pattern && !schema.format) parts.push(h('span', { class: 'rule' }, 'matches ', h('code', null, schema.pattern)));
  return [parts.length > 0 && h('p', { class: 'rules' }, parts), choiceList(choices(node), 'const' in schema ? 'Always' : 'One of')];
}

/** Allowed values, the first few of a long list until the rest is asked for. */
function choiceList(values, label) {
  if (!values.length) return undefined;
  const chips = values.map((value) => h('code', null, literal(value)));
  const list = h('p', { class: 'choices' }, h('span', null, label), chips);
  if (values.length <= MAX_CHOICES + 2) return list;
  const rest = chips.slice(MAX_CHOICES);
  for (const chip of rest) chip.hidden = true;
  const more = h('button', { class: 'text-button', type: 'button' }, `and ${rest.length} more`);
  more.addEventListener('click', () => {
    for (const chip of rest) chip.hidden = false;
    more.remove();
  });
  list.append(more);
  return list;
}

/** What names a variant: the constant field that tells it apart, else its title or type. */
function variantLabel(node) {
  if (node.schema.title) return node.schema.title;
  for (const [name, field] of Object.entries(node.schema.properties ?? {})) {
    const { schema } = deref(field);
    const value = schema.const ?? (schema.enum?.length === 1 ? schema.enum[0] : undefined);
    if (value !== undefined) return `${name}: ${JSON.stringify(value)}`;
  }
  return node.name || typeLabel(node);
}

/** The rows below a schema: fields, kinds of item, variants. Arrays are looked through. */
function childRows(node, depth = 0) {
  const { schema } = node;
  if (depth > MAX_LOOK_THROUGH) return [];
  if (node.variants.length) {
    const nodes = node.variants.map((variant) => normalize(variant));
    if (!nodes.some((variant) => variant.variants.length || ['object', 'array'].includes(typeOf(variant)))) return [];
    const fields = hasFields(schema) ? fieldRows(schema, depth) : [];
    return [...fields, ...nodes.map((variant) => ({ name: variantLabel(variant), node: variant, kind: 'variant' }))];
  }
  if (schema.prefixItems) return schema.prefixItems.map((item, index) => ({ name: `[${index}]`, node: normalize(item), kind: 'key' }));
  if (typeOf(node) === 'array' && schema.items) return childRows(normalize(schema.items), depth + 1);
  return fieldRows(schema, depth);
}

function fieldRows(schema, depth) {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    node: normalize(field),
    kind: 'field',
    required: schema.required?.includes(name),
  }));
  for (const [pattern, field] of Object.entries(schema.patternProperties ?? {}))
    rows.push({ name: pattern, node: normalize(field), kind: 'key' });
  if (holdsValues(schema)) {
    const node = normalize(schema.additionalProperties);
    if (rows.length || childRows(node, depth + 1).length) rows.push({ name: rows.length ? 'any other key' : 'any key', node, kind: 'key' });
  }
  return rows;
}

const itemRefs = (node) =>
  typeOf(node) === 'array' && node.schema.items ? [...node.refs, ...normalize(node.schema.items).refs] : node.refs;

let disclosures = 0;

function schemaRow(row, trail, side) {
  const { node } = row;
  const refs = itemRefs(node);
  const recursive = refs.some((ref) => trail.includes(ref));
  const rows = childRows(node);
  const element = h(
    'li',
    { class: 'field' },
    h(
      'div',
      { class: 'field-head' },
      h('code', { class: row.kind === 'field' ? 'field-name' : 'field-name field-name-soft' }, row.name),
      (row.kind !== 'variant' || row.name !== typeLabel(node)) && h('span', { class: 'field-type' }, typeLabel(node)),
      row.required && side === 'request' && h('span', { class: 'required' }, 'required'),
      row.required === false && side === 'response' && h('span', { class: 'field-type' }, 'may be absent'),
      recursive && h('span', { class: 'tag' }, 'recursive'),
      node.schema.deprecated && h('span', { class: 'tag' }, 'deprecated'),
    ),
    prose(node.schema.description, 'field-text'),
    rules(node),
  );
  if (rows.length) element.append(...disclosure(rows, [...trail, ...refs], side, recursive));
  return element;
}

/** A button and, once it is first opened, the rows below it. Rows are made on opening, so a recursive schema costs what is opened of it. */
function disclosure(rows, trail, side, recursive) {
  const noun = rows.every((row) => row.kind === 'variant') ? 'variant' : 'field';
  const label = (open) => `${open ? 'Hide' : 'Show'} ${plural(rows.length, noun)}`;
  const id = `page-fields-${++disclosures}`;
  const box = h('div', { class: 'children', id, hidden: true });
  const text = h('span', null, label(false));
  const button = h(
    'button',
    { class: 'disclosure', type: 'button', 'aria-expanded': 'false', 'aria-controls': id },
    icon(icons.chevron),
    text,
  );
  if (recursive) button.dataset.recursive = '';
  const setOpen = (open) => {
    if (open && !box.hasChildNodes())
      box.append(
        h(
          'ul',
          { class: 'fields' },
          rows.map((row) => schemaRow(row, trail, side)),
        ),
      );
    box.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    text.textContent = label(open);
  };
  button.addEventListener('click', () => setOpen(box.hidden));
  button.addEventListener('setopen', (event) => setOpen(event.detail));
  return [button, box];
}

function setAllOpen(root, open) {
  if (!open) {
    for (const button of root.querySelectorAll('.disclosure[aria-expanded="true"]'))
      button.dispatchEvent(new CustomEvent('setopen', { detail: false }));
    return;
  }
  let made = 0;
  for (;;) {
    const closed = [...root.querySelectorAll('.disclosure[aria-expanded="false"]:not([data-recursive])')];
    if (!closed.length || made > MAX_NODES) return;
    for (const button of closed) button.dispatchEvent(new CustomEvent('setopen', { detail: true }));
    made += closed.length;
  }
}

/** A schema as rows. What a caller sends says what is required; what comes back says what may be missing. */
function schemaTree(input, side) {
  const node = normalize(input);
  const rows = childRows(node);
  const refs = itemRefs(node);
  const box = h('div', { class: 'schema' });
  const isPlainObject = typeOf(node) === 'object' && !node.nullable && !node.variants.length && rows.length > 0;
  const nested = rows.some((row) => childRows(row.node).length > 0);
  if (!isPlainObject || nested) {
    const expand = h('button', { class: 'text-button', type: 'button', 'aria-pressed': 'false' }, 'Expand all');
    expand.addEventListener('click', () => {
      const open = expand.textContent === 'Expand all';
      setAllOpen(box, open);
      expand.textContent = open ? 'Collapse all' : 'Expand all';
      expand.setAttribute('aria-pressed', String(open));
    });
    box.append(h('div', { class: 'schema-head' }, h('span', { class: 'field-type' }, typeLabel(node)), nested && expand));
  }
  box.append(
    ...[node.schema.title !== node.schema.description && prose(node.schema.description, 'field-text'), !isPlainObject && rules(node)]
      .flat()
      .filter(Boolean),
  );
  if (rows.length)
    box.append(
      h(
        'ul',
        { class: 'fields' },
        rows.map((row) => schemaRow(row, refs, side)),
      ),
    );
  return box;
}

// Examples

const SAMPLES = {
  uuid: '0197f3a2-6c1e-7b54-9d20-5f1c8e7a3b46',
  'date-time': '2026-11-15T09:30:00.000Z',
  date: '2026-11-15',
  time: '09:30:00Z',
  duration: 'PT30M',
  email: 'ada@example.com',
  uri: 'https://example.com/hook',
  url: 'https://example.com/hook',
  hostname: 'example.com',
  ipv4: '192.0.2.10',
  ipv6: '2001:db8::10',
};

function sampleText(schema, name) {
  const text = SAMPLES[schema.format] ?? (schema.contentMediaType === 'application/json' ? '{}' : name || 'text');
  if (schema.maxLength !== undefined && text.length > schema.maxLength) return text.slice(0, schema.maxLength);
  return text.padEnd(Math.min(schema.minLength ?? 0, 40), 'x');
}

function sampleNumber(schema) {
  const low = schema.minimum ?? (schema.exclusiveMinimum !== undefined ? schema.exclusiveMinimum + 1 : undefined);
  const high = schema.maximum ?? (schema.exclusiveMaximum !== undefined ? schema.exclusiveMaximum - 1 : undefined);
  if (low !== undefined && low > Number.MIN_SAFE_INTEGER) return Math.max(low, Math.min(1, high ?? 1));
  return Math.min(1, high ?? 1);
}

const ownExample = (schema) => schema.example ?? schema.examples?.[0];

/** A value that fits a schema, from its own examples where it has any. Undefined where it would contain itself. */
function sample(input, name = '', trail = [], run = { left: MAX_NODES, side: 'request' }) {
  const node = normalize(input);
  const { schema } = node;
  if (run.left-- <= 0 || node.refs.some((ref) => trail.includes(ref))) return undefined;
  const own = ownExample(schema) ?? schema.const ?? schema.default ?? schema.enum?.[0];
  if (own !== undefined) return own;
  if (node.nullable && run.side === 'response') return null;
  const inner = [...trail, ...node.refs];
  if (node.variants.length) {
    for (const variant of node.variants) {
      const value = sample(variant, name, inner, run);
      if (value !== undefined) return mergeSamples(hasFields(schema) ? sampleObject(schema, inner, run) : undefined, value);
    }
    return node.nullable ? null : undefined;
  }
  const type = typeOf(node);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return sampleObject(schema, inner, run);
    case 'array': {
      if (schema.prefixItems) return schema.prefixItems.map((item) => sample(item, name, inner, run) ?? null);
      const item = schema.items && sample(schema.items, name.replace(/s$/, ''), inner, run);
      return item === undefined ? [] : [item];
    }
    case 'string':
      return sampleText(schema, name);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.not ? undefined : {};
  }
}

const mergeSamples = (fields, value) =>
  fields && typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...fields, ...value } : value;

/** A request shows what must be sent and what has an example of its own: a made-up value for the rest would be refused. */
function shownFields(schema, side) {
  const all = Object.entries(schema.properties ?? {});
  if (side === 'response') return all.filter(([, field]) => !deref(field).schema.writeOnly);
  const sent = all.filter(([name, field]) => schema.required?.includes(name) || ownExample(deref(field).schema) !== undefined);
  return (sent.length ? sent : all).filter(([, field]) => !deref(field).schema.readOnly);
}

function sampleObject(schema, trail, run) {
  const value = {};
  for (const [name, field] of shownFields(schema, run.side)) {
    const part = sample(field, name, trail, run);
    if (part !== undefined) value[name] = part;
    else if (schema.required?.includes(name) && normalize(field).nullable) value[name] = null;
  }
  if (!hasFields(schema) && holdsValues(schema)) {
    const part = sample(schema.additionalProperties, 'value', trail, run);
    if (part !== undefined) value.key = part;
  }
  return value;
}

/** The examples of a media type as [label, value], made from the schema when the document has none. */
function examplesOf(media, side) {
  if (!media) return [];
  if (media.example !== undefined) return [['Example', media.example]];
  const named = Object.entries(media.examples ?? {}).map(([name, example]) => [
    deref(example).schema.summary ?? name,
    deref(example).schema.value,
  ]);
  if (named.length) return named;
  const made = media.schema === undefined ? undefined : sample(media.schema, '', [], { left: MAX_NODES, side });
  return made === undefined ? [] : [['Example', made]];
}

/** The media type of a body or an answer that the page shows: JSON where there is a choice. */
function mediaOf(content) {
  const types = Object.keys(content ?? {});
  const type = types.find((name) => /[/+]json\b/.test(name)) ?? types[0];
  return type ? { type, ...content[type] } : undefined;
}

// Operations

function readDocument(doc) {
  api.doc = doc;
  api.operations.clear();
  const groups = new Map((doc.tags ?? []).map((tag) => [tag.name, { name: tag.name, description: tag.description, operations: [] }]));
  for (const [path, item] of Object.entries(doc.paths ?? {})) {
    for (const method of METHODS) {
      const raw = item?.[method];
      if (!raw) continue;
      const id = raw.operationId ?? `${method}${path.replace(/[^\w]+/g, '-')}`;
      const tag = raw.tags?.[0] ?? 'Other';
      const parameters = new Map();
      for (const parameter of [...(item.parameters ?? []), ...(raw.parameters ?? [])]) {
        const { schema: resolved } = deref(parameter);
        parameters.set(`${resolved.in} ${resolved.name}`, resolved);
      }
      const operation = {
        id,
        tag,
        method,
        path,
        summary: raw.summary ?? path,
        description: raw.description,
        deprecated: raw.deprecated === true,
        parameters: [...parameters.values()],
        body: raw.requestBody && deref(raw.requestBody).schema,
        responses: Object.entries(raw.responses ?? {}).map(([status, response]) => ({ status, ...deref(response).schema })),
        security: raw.security ?? doc.security ?? [],
        permissions: [raw['x-permission'] ?? []].flat().flatMap((names) => names.split(/,\s*/)),
      };
      operation.words = [method, path, operation.summary, id, tag, ...operation.permissions].join(' ').toLowerCase();
      api.operations.set(id, operation);
      if (!groups.has(tag)) groups.set(tag, { name: tag, operations: [] });
      groups.get(tag).operations.push(operation);
    }
  }
  api.tags = [...groups.values()].filter((tag) => tag.operations.length > 0);
}

const schemeOf = (name) => deref(api.doc.components?.securitySchemes?.[name]).schema;

function schemeLabel(name) {
  const scheme = schemeOf(name);
  return scheme['x-label'] ?? { ApiKey: 'API key', AccessKey: 'Access key', Cookie: 'Dashboard sign-in' }[name] ?? name;
}

/** Where a scheme's key goes, as a header; undefined for cookies, which the browser sends by itself. */
function schemeHeader(name) {
  const scheme = schemeOf(name);
  if (scheme.type === 'apiKey') return scheme.in === 'header' ? { name: scheme.name, prefix: '' } : undefined;
  if (scheme.type === 'http' && scheme.scheme?.toLowerCase() === 'bearer') return { name: 'Authorization', prefix: 'Bearer ' };
  return undefined;
}

const schemesOf = (operation) => [...new Set(operation.security.flatMap((requirement) => Object.keys(requirement)))];
const isPublic = (operation) =>
  operation.security.length === 0 || operation.security.some((requirement) => Object.keys(requirement).length === 0);

/** The part of an address before a documented path. The page talks to its own origin, whatever host the document names. */
function basePath() {
  const url = api.doc.servers?.[0]?.url;
  if (!url) return '';
  try {
    return new URL(url, location.origin).pathname.replace(/\/$/, '');
  } catch {
    return '';
  }
}

/** The whole segments that every path of the document begins with, such as `/api/v1`. */
function sharedPath() {
  const [first = [], ...others] = [...api.operations.values()].map(({ path }) => path.split('/'));
  const end = first.findIndex((part, index) => part.startsWith('{') || others.some((parts) => parts[index] !== part));
  return end < 0 ? '' : first.slice(0, end).join('/');
}

const fullPath = (operation) => basePath() + operation.path;

// Requests: one description of a call, sent by the panel and printed as curl

const variableName = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();

function exampleOf(parameter) {
  return (
    parameter.example ??
    Object.values(parameter.examples ?? {})[0]?.value ??
    deref(parameter.schema).schema.example ??
    deref(parameter.schema).schema.examples?.[0]
  );
}

/** The call that the reference shows before anyone typed anything: required parts only, placeholders for ids and keys. */
function exampleCall(operation) {
  const query = [];
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query' || !parameter.required) continue;
    const value = exampleOf(parameter) ?? sample(parameter.schema, parameter.name);
    if (value !== null && typeof value === 'object') for (const [key, part] of Object.entries(value)) query.push([key, String(part)]);
    else query.push([parameter.name, String(value ?? '')]);
  }
  const scheme = schemesOf(operation).find((name) => schemeHeader(name) && name === typed.scheme) ?? preferredScheme(operation);
  const media = mediaOf(operation.body?.content);
  const example = examplesOf(media, 'request')[0]?.[1];
  const call = { operation, query, headers: [], scheme, path: typed.path };
  if (media?.type === 'multipart/form-data')
    call.parts = Object.entries(formFields(media.schema)).map(([name, field]) => examplePart(name, field, example));
  else if (media && example !== undefined) call.body = { type: media.type, text: pretty(example) };
  return call;
}

function examplePart(name, field, example) {
  if (isFile(normalize(field).schema)) return { name, file: 'handbook.md' };
  const value = example?.[name] ?? '';
  return { name, value: typeof value === 'object' ? JSON.stringify(value) : String(value) };
}

const formFields = (schema) => normalize(schema).schema.properties ?? {};

/** Runtime calls are mostly made with an access key, so it is the one shown where a route takes both. */
const preferredScheme = (operation) => {
  const names = schemesOf(operation).filter((name) => schemeHeader(name));
  return names.includes('AccessKey') ? 'AccessKey' : names[0];
};

const queryText = (query) => (query.length ? `?${new URLSearchParams(query)}` : '');
const singleQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const doubleQuoted = (text) => `"${text.replace(/[\\"`$]/g, '\\$&')}"`;

function curl(call) {
  const { operation } = call;
  // A placeholder is a shell variable, so that a pasted line runs once the variables are set.
  let path = doubleQuoted(location.origin + fullPath(operation)).slice(1, -1);
  for (const { in: place, name } of operation.parameters) {
    if (place !== 'path') continue;
    const value = call.path.get(name);
    path = path.replace(`{${name}}`, () => (value ? encodeURIComponent(value) : `$${variableName(name)}`));
  }
  const lines = [];
  const start = operation.method === 'get' ? 'curl' : `curl -X ${operation.method.toUpperCase()}`;
  lines.push(`${start} "${path}${queryText(call.query).replace(/[\\"`$]/g, '\\$&')}"`);
  const header = call.scheme && schemeHeader(call.scheme);
  if (header) lines.push(`-H "${header.name}: ${header.prefix}$${variableName(call.scheme)}"`);
  for (const [name, value] of call.headers) lines.push(`-H ${singleQuoted(`${name}: ${value}`)}`);
  for (const part of call.parts ?? [])
    lines.push(`-F ${singleQuoted(part.file !== undefined ? `${part.name}=@${part.file}` : `${part.name}=${part.value}`)}`);
  if (call.body) {
    lines.push(`-H ${singleQuoted(`Content-Type: ${call.body.type}`)}`);
    lines.push(`-d ${singleQuoted(call.body.text)}`);
  }
  return lines.join(' \\\n  ');
}

// Views

const methodBadge = (method, small) =>
  h(
    'span',
    { class: `method method-${method}${small ? ' method-small' : ''}` },
    small && method === 'delete' ? 'DEL' : method.toUpperCase(),
  );

/** A path whose parameters stand out and that may break after a slash. */
function pathText(path) {
  const nodes = path
    .split(/(\{[^}]+\}|\/)/)
    .map((part) => (part.startsWith('{') ? h('span', { class: 'path-param' }, part) : part === '/' ? ['/', h('wbr')] : part));
  return h('code', { class: 'path' }, nodes);
}

const heading = (text) => h('h3', { class: 'section-title' }, text);

function whoMayCall(operation) {
  const joined = (word, ...children) => h('span', { class: 'who-part' }, word && h('span', { class: 'who-word' }, word), children);
  const ways = operation.security.filter((requirement) => Object.keys(requirement).length > 0);
  const parts = isPublic(operation) ? [joined('', h('span', { class: 'chip' }, 'Anyone, without a key'))] : [];
  for (const requirement of ways) {
    for (const [position, name] of Object.keys(requirement).entries()) {
      const header = schemeHeader(name);
      const word = position > 0 ? 'and' : parts.length > 0 ? 'or' : '';
      parts.push(joined(word, h('span', { class: 'chip' }, schemeLabel(name), header && h('code', null, header.name))));
    }
  }
  for (const [position, name] of operation.permissions.entries()) {
    parts.push(joined(position > 0 ? 'and' : 'with', h('code', { class: 'permission' }, name)));
  }
  return h(
    'div',
    { class: 'who', role: 'group', 'aria-label': 'Who may call' },
    icon(isPublic(operation) ? icons.unlocked : icons.lock),
    parts,
  );
}

function parametersTable(operation, place, title) {
  const parameters = operation.parameters.filter((parameter) => parameter.in === place);
  if (!parameters.length) return [];
  const row = (parameter) => {
    const node = normalize(parameter.schema);
    const nested = childRows(node);
    return h(
      'tr',
      null,
      h(
        'th',
        { scope: 'row' },
        h('code', { class: 'field-name' }, parameter.name),
        parameter.required && place !== 'path' && h('span', { class: 'required' }, 'required'),
        (parameter.deprecated || node.schema.deprecated) && h('span', { class: 'tag' }, 'deprecated'),
        h('span', { class: 'field-type' }, typeLabel(node)),
      ),
      h(
        'td',
        null,
        prose(parameter.description ?? node.schema.description, 'field-text'),
        rules(node),
        nested.length > 0 && disclosure(nested, node.refs, 'request', false),
      ),
    );
  };
  return [
    heading(title),
    h(
      'table',
      { class: 'parameters' },
      h(
        'thead',
        { class: 'visually-hidden' },
        h('tr', null, h('th', { scope: 'col' }, 'Name and type'), h('th', { scope: 'col' }, 'Meaning and limits')),
      ),
      h('tbody', null, parameters.map(row)),
    ),
  ];
}

function bodySection(operation) {
  const media = mediaOf(operation.body?.content);
  if (!media) return [];
  return [
    h(
      'div',
      { class: 'section-line' },
      heading('Body'),
      h('span', { class: 'media' }, media.type),
      !operation.body.required && h('span', { class: 'tag' }, 'optional'),
    ),
    prose(operation.body.description, 'field-text'),
    schemaTree(media.schema, 'request'),
  ];
}

const statusKind = (status) => ({ 2: 'good', 3: 'moved', 4: 'bad', 5: 'broken' })[String(status)[0]] ?? 'other';

const STATUS_TEXTS = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  304: 'Not modified',
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Service unavailable',
};

function responsesSection(operation) {
  if (!operation.responses.length) return [];
  const firstGood = operation.responses.find((response) => response.status.startsWith('2'));
  const item = (response) => {
    const media = mediaOf(response.content);
    const headers = Object.entries(response.headers ?? {}).map(([name, header]) => ({ name, header: deref(header).schema }));
    const details = h(
      'details',
      { class: 'response' },
      h(
        'summary',
        null,
        icon(icons.chevron),
        h('span', { class: `status status-${statusKind(response.status)}` }, response.status),
        h('span', { class: 'response-text' }, inline(response.description || STATUS_TEXTS[response.status] || '')),
        media && h('span', { class: 'media' }, media.type),
      ),
    );
    const fill = () => {
      if (details.querySelector('.response-body')) return;
      const body = h('div', { class: 'response-body' });
      if (headers.length) {
        body.append(
          h('p', { class: 'response-label' }, 'Headers'),
          h(
            'ul',
            { class: 'fields' },
            headers.map(({ name, header }) =>
              schemaRow({ name, node: normalize({ description: header.description, ...header.schema }), kind: 'field' }, []),
            ),
          ),
          media ? h('p', { class: 'response-label' }, 'Body') : '',
        );
      }
      body.append(
        media?.schema !== undefined ? schemaTree(media.schema, 'response') : headers.length ? '' : h('p', { class: 'quiet' }, 'No body.'),
      );
      details.append(body);
    };
    details.addEventListener('toggle', fill);
    if (response === firstGood) {
      details.open = true;
      fill();
    }
    return details;
  };
  return [heading('Responses'), h('div', { class: 'responses' }, operation.responses.map(item))];
}

/** Buttons of which one is chosen, with the arrow keys as the tab pattern asks. */
function tabs(label, names, show) {
  const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
  const choose = (index, focus) => {
    [...list.children].forEach((tab, position) => {
      tab.setAttribute('aria-selected', String(position === index));
      tab.tabIndex = position === index ? 0 : -1;
    });
    if (focus) list.children[index].focus();
    show(index);
  };
  names.forEach((name, index) => {
    list.append(h('button', { type: 'button', role: 'tab', class: 'tab', onclick: () => choose(index) }, name));
  });
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = [...list.children].findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    choose((at + step + names.length) % names.length, true);
  });
  if (names.length) choose(0);
  return list;
}

function requestCard(operation) {
  const text = curl(exampleCall(operation));
  return h(
    'div',
    { class: 'card' },
    h(
      'div',
      { class: 'card-head' },
      h('span', { class: 'card-title' }, 'Request'),
      copyButton('the curl line', () => text),
      h(
        'button',
        { class: 'button button-small', type: 'button', onclick: () => openPanel(operation), 'aria-label': `Try ${operation.summary}` },
        icon(icons.play),
        'Try it',
      ),
    ),
    codeBlock(text, 'shell', 'Example request'),
  );
}

function responseCard(operation) {
  const shown = operation.responses.flatMap((response) => {
    const media = mediaOf(response.content);
    const found = media && /json/.test(media.type) ? examplesOf(media, 'response') : [];
    if (found.length)
      return found.slice(0, 4).map(([label, value]) => ({
        status: response.status,
        label: found.length > 1 ? `${response.status} ${label}` : response.status,
        text: pretty(value),
      }));
    return response.status.startsWith('2')
      ? [{ status: response.status, label: response.status, text: media ? `(${media.type})` : '(no body)' }]
      : [];
  });
  if (!shown.length) return undefined;
  const body = h('div');
  let text = '';
  const list = tabs(
    'Example responses',
    shown.map(({ label, status }) => h('span', { class: `status-dot status-${statusKind(status)}` }, label)),
    (index) => {
      text = shown[index].text;
      body.replaceChildren(codeBlock(text, 'json', `Example response ${shown[index].label}`));
    },
  );
  return h(
    'div',
    { class: 'card' },
    h(
      'div',
      { class: 'card-head' },
      h('span', { class: 'card-title' }, 'Response'),
      list,
      copyButton('the response', () => text),
    ),
    body,
  );
}

function operationSection(operation) {
  return h(
    'section',
    { class: 'operation', id: operation.id, 'aria-labelledby': `${operation.id}-title`, tabindex: -1 },
    h(
      'div',
      { class: 'operation-text' },
      h(
        'h2',
        { id: `${operation.id}-title`, class: operation.deprecated ? 'deprecated' : undefined },
        operation.summary,
        h(
          'a',
          { class: 'anchor', href: `#${encodeURIComponent(operation.id)}`, 'aria-label': `Link to ${operation.summary}` },
          icon(icons.link),
        ),
        operation.deprecated && h('span', { class: 'tag' }, 'deprecated'),
      ),
      h(
        'div',
        { class: 'endpoint' },
        methodBadge(operation.method),
        pathText(fullPath(operation)),
        copyButton('the path', () => fullPath(operation)),
      ),
      whoMayCall(operation),
      prose(operation.description),
      parametersTable(operation, 'path', 'Path parameters'),
      parametersTable(operation, 'query', 'Query parameters'),
      parametersTable(operation, 'header', 'Headers'),
      bodySection(operation),
      responsesSection(operation),
    ),
    h('div', { class: 'operation-code' }, requestCard(operation), responseCard(operation)),
  );
}

const tagHash = (tag) => `#tag/${encodeURIComponent(tag.name)}`;
const operationHash = (operation) => `#${encodeURIComponent(operation.id)}`;

function operationList(operations) {
  return h(
    'ul',
    { class: 'operation-list' },
    operations.map((operation) =>
      h(
        'li',
        null,
        h(
          'a',
          { href: operationHash(operation) },
          methodBadge(operation.method, true),
          pathText(operation.path),
          h('span', { class: operation.deprecated ? 'operation-list-text deprecated' : 'operation-list-text' }, operation.summary),
        ),
      ),
    ),
  );
}

function tagView(tag) {
  const index = api.tags.indexOf(tag);
  const before = api.tags[index - 1];
  const after = api.tags[index + 1];
  return [
    h(
      'header',
      { class: 'intro' },
      h('h1', { tabindex: -1 }, tag.name),
      prose(tag.description, 'prose lead'),
      h('div', { class: 'card-plain' }, operationList(tag.operations)),
    ),
    tag.operations.map(operationSection),
    h(
      'nav',
      { class: 'pager', 'aria-label': 'Neighbouring groups' },
      before ? h('a', { href: tagHash(before) }, h('span', { class: 'quiet' }, 'Before'), before.name) : h('span'),
      after ? h('a', { class: 'pager-next', href: tagHash(after) }, h('span', { class: 'quiet' }, 'Next'), after.name) : h('span'),
    ),
  ];
}

function homeView() {
  const { info = {}, components = {} } = api.doc;
  const base = location.origin + basePath() + sharedPath();
  const schemes = Object.keys(components.securitySchemes ?? {});
  const intro = h(
    'header',
    { class: 'intro' },
    h('h1', { tabindex: -1 }, info.title ?? 'API reference'),
    prose(info.description ?? info.summary, 'prose lead'),
    h('h2', { class: 'home-title' }, 'Base address'),
    h(
      'div',
      { class: 'endpoint' },
      h('code', { class: 'path' }, base),
      copyButton('the base address', () => base),
    ),
  );
  const authentication = schemes.length > 0 && [
    h('h2', { class: 'home-title' }, 'Authentication'),
    h(
      'div',
      { class: 'schemes' },
      schemes.map((name) => {
        const header = schemeHeader(name);
        const scheme = schemeOf(name);
        return h(
          'div',
          { class: 'scheme' },
          h('h3', null, schemeLabel(name)),
          h(
            'p',
            null,
            header
              ? [h('code', null, `${header.name}: ${header.prefix}…`)]
              : scheme.in === 'cookie'
                ? ['Cookie ', h('code', null, scheme.name)]
                : scheme.type,
          ),
          prose(scheme.description, 'field-text'),
        );
      }),
    ),
  ];
  const groups = api.tags.map((tag) =>
    h(
      'section',
      { class: 'home-group' },
      h('h3', null, h('a', { href: tagHash(tag) }, tag.name)),
      prose(tag.description?.split('\n\n')[0], 'field-text'),
      h('div', { class: 'card-plain' }, operationList(tag.operations)),
    ),
  );
  return [h('div', { class: 'home' }, intro, authentication, h('h2', { class: 'home-title' }, 'Endpoints'), groups)];
}

// Try it

function control(parameter, value, id) {
  const node = normalize(parameter.schema);
  const type = typeOf(node);
  const values = choices(node);
  const options = type === 'boolean' ? ['true', 'false'] : type === 'array' ? [] : values.map(String);
  if (options.length) {
    return h('select', { id, value }, [
      h('option', { value: '' }, '—'),
      ...options.map((option) => h('option', { value: option, selected: option === value }, option)),
    ]);
  }
  if (type === 'object') return h('textarea', { id, rows: 2, placeholder: 'key=value, one a line', spellcheck: 'false', value });
  const hint = schemaHint(node, parameter);
  return h('input', {
    id,
    type: 'text',
    value,
    inputmode: type === 'integer' || type === 'number' ? 'numeric' : undefined,
    placeholder: type === 'array' ? 'one, two' : hint,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
}

function schemaHint(node, parameter) {
  const example = exampleOf(parameter) ?? node.schema.default;
  return example === undefined ? typeLabel(node) : String(example);
}

/** A typed value as the pairs it becomes in a query: an object gives its own keys, an array repeats its name. */
function queryPairs(parameter, value) {
  if (!value.trim()) return [];
  const type = typeOf(normalize(parameter.schema));
  if (type === 'object') {
    return value
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map((line) => {
        const at = line.indexOf('=');
        return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      });
  }
  if (type === 'array') return value.split(',').map((part) => [parameter.name, part.trim()]);
  return [[parameter.name, value]];
}

function formOf(operation) {
  if (!typed.forms.has(operation.id)) {
    const media = mediaOf(operation.body?.content);
    const example = examplesOf(media, 'request')[0]?.[1];
    typed.forms.set(operation.id, {
      values: new Map(),
      body: media && media.type !== 'multipart/form-data' && example !== undefined ? pretty(example) : '',
      parts: new Map(),
    });
  }
  return typed.forms.get(operation.id);
}

function openPanel(operation) {
  const form = formOf(operation);
  const media = mediaOf(operation.body?.content);
  const isMultipart = media?.type === 'multipart/form-data';
  const output = h('div', { class: 'output', hidden: true });
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const send = h('button', { class: 'button', type: 'submit' }, 'Send');
  let running;

  const field = (label, input, { required, note } = {}) =>
    h(
      'div',
      { class: 'form-field' },
      h('label', { for: input.id }, label, required && h('span', { class: 'required' }, 'required')),
      input,
      note && h('p', { class: 'quiet' }, note),
    );

  const parameterField = (parameter) => {
    const shared = parameter.in === 'path' ? typed.path : form.values;
    const input = control(parameter, shared.get(parameter.name) ?? '', `page-try-${parameter.in}-${parameter.name}`);
    if (parameter.in === 'path') input.dataset.path = parameter.name;
    input.addEventListener('input', () => shared.set(parameter.name, input.value));
    return field(h('code', null, parameter.name), input, { required: parameter.required });
  };

  const group = (title, ...children) => h('fieldset', null, h('legend', null, title), children);
  const parametersOf = (place, title) => {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place);
    return parameters.length > 0 && group(title, parameters.map(parameterField));
  };

  const call = () => {
    const query = operation.parameters
      .filter(({ in: place }) => place === 'query')
      .flatMap((parameter) => queryPairs(parameter, form.values.get(parameter.name) ?? ''));
    const headers = operation.parameters
      .filter(({ in: place, name }) => place === 'header' && form.values.get(name))
      .map(({ name }) => [name, form.values.get(name)]);
    const made = { operation, query, headers, scheme: schemeChoice(operation), path: typed.path };
    if (isMultipart) {
      made.parts = [...form.parts]
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (value instanceof File ? { name, file: value.name, blob: value } : { name, value }));
    } else if (media && form.body.trim()) made.body = { type: media.type, text: form.body };
    return made;
  };

  const submit = async (event) => {
    event.preventDefault();
    if (running) {
      running.abort();
      return;
    }
    problem.hidden = true;
    const complain = (text, input) => {
      problem.textContent = text;
      problem.hidden = false;
      input?.focus();
    };
    for (const { in: place, name } of operation.parameters) {
      if (place === 'path' && !typed.path.get(name)?.trim())
        return complain(`${name} is required.`, formElement.querySelector(`[data-path="${CSS.escape(name)}"]`));
    }
    running = new AbortController();
    send.textContent = 'Cancel';
    try {
      showAnswer(output, await sendCall(call(), running.signal));
    } catch (error) {
      if (error.name !== 'AbortError') complain(`The request did not get through: ${error.message}`);
    } finally {
      running = undefined;
      send.textContent = 'Send';
    }
  };

  const formElement = h(
    'form',
    { class: 'try-form', onsubmit: submit, novalidate: true },
    credentials(operation, field),
    parametersOf('path', 'Path'),
    parametersOf('query', 'Query'),
    parametersOf('header', 'Headers'),
    media && group(isMultipart ? 'Form' : 'Body', isMultipart ? partFields(media, form, field) : bodyField(media, form, operation, field)),
    problem,
    h(
      'div',
      { class: 'try-actions' },
      send,
      h(
        'button',
        { class: 'button button-quiet', type: 'button', onclick: (event) => copyCurl(event.currentTarget, call()) },
        'Copy as curl',
      ),
      operation.method !== 'get' && h('span', { class: 'quiet' }, 'Acts on this server’s data.'),
    ),
  );
  formElement.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) formElement.requestSubmit();
  });

  page.dialog.replaceChildren(
    h(
      'div',
      { class: 'drawer-head' },
      h(
        'div',
        { class: 'drawer-title' },
        h('h2', { id: 'page-try-title' }, operation.summary),
        h('div', { class: 'drawer-path' }, methodBadge(operation.method), pathText(fullPath(operation))),
      ),
      h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: () => page.dialog.close() }, icon(icons.close)),
    ),
    h('div', { class: 'drawer-body' }, formElement, output),
  );
  page.dialog.onclose = () => {
    running?.abort();
    page.dialog.replaceChildren();
    refreshRequest(operation);
  };
  page.dialog.showModal();
  const firstEmpty = [...formElement.querySelectorAll('input:not([type=file]), textarea, select')].find((input) => !input.value);
  (firstEmpty ?? send).focus();
}

/** Ids that were typed in the panel show up in the printed request. */
function refreshRequest(operation) {
  const code = byId(operation.id)?.querySelector('.operation-code');
  const hadFocus = code?.contains(document.activeElement);
  code?.firstChild?.replaceWith(requestCard(operation));
  if (hadFocus || document.activeElement === document.body) code?.querySelector('.button')?.focus();
}

async function copyCurl(button, call) {
  await copyText(curl(call));
  button.textContent = 'Copied';
  announce('Copied');
  setTimeout(() => {
    button.textContent = 'Copy as curl';
  }, 1500);
}

function schemeChoice(operation) {
  const names = schemesOf(operation);
  if (typed.scheme === 'none' && isPublic(operation)) return undefined;
  if (names.includes(typed.scheme)) return typed.scheme;
  return names.find((name) => typed.keys.get(name)) ?? preferredScheme(operation) ?? names[0];
}

function credentials(operation, field) {
  const names = schemesOf(operation);
  if (!names.length) return undefined;
  const chosen = schemeChoice(operation);
  const box = h('div', { class: 'form-pair' });
  const select = h(
    'select',
    { id: 'page-try-scheme' },
    isPublic(operation) && h('option', { value: 'none', selected: !chosen }, 'None'),
    names.map((name) => h('option', { value: name, selected: name === chosen }, schemeLabel(name))),
  );
  const draw = () => {
    const name = select.value;
    const header = schemeHeader(name);
    const input =
      header &&
      h('input', {
        id: 'page-try-key',
        type: 'password',
        value: typed.keys.get(name) ?? '',
        autocomplete: 'off',
        spellcheck: 'false',
        placeholder: `${header.name} header`,
        oninput: (event) => typed.keys.set(name, event.currentTarget.value.trim()),
      });
    const note = header
      ? 'Kept in this page’s memory only, and gone when you reload or leave.'
      : name === 'none'
        ? ''
        : 'Uses the dashboard session of this browser.';
    box.replaceChildren(field('Caller', select), ...(input ? [field('Key', input)] : []), h('p', { class: 'quiet form-note' }, note));
  };
  select.addEventListener('change', () => {
    typed.scheme = select.value;
    draw();
    select.focus();
  });
  draw();
  return h('fieldset', null, h('legend', null, 'Credentials'), box);
}

function bodyField(media, form, operation, field) {
  const examples = examplesOf(media, 'request');
  const state = h('p', { class: 'quiet', 'aria-live': 'polite' });
  const input = h('textarea', {
    id: 'page-try-body',
    class: 'body-input',
    rows: Math.min(18, Math.max(5, form.body.split('\n').length + 1)),
    spellcheck: 'false',
    autocapitalize: 'off',
    value: form.body,
  });
  const check = () => {
    form.body = input.value;
    state.textContent = '';
    state.className = 'quiet';
    if (!input.value.trim()) state.textContent = operation.body.required ? 'This endpoint expects a body.' : 'Empty: no body is sent.';
    else if (/json/.test(media.type)) {
      try {
        JSON.parse(input.value);
      } catch (error) {
        state.textContent = `Not valid JSON: ${error.message}`;
        state.className = 'problem';
      }
    }
  };
  input.addEventListener('input', check);
  check();
  const set = (text) => {
    input.value = text;
    check();
  };
  const pick =
    examples.length > 1 &&
    h(
      'select',
      { 'aria-label': 'Start from an example', onchange: (event) => set(pretty(examples[Number(event.currentTarget.value)][1])) },
      examples.map(([label], index) => h('option', { value: index }, label)),
    );
  const reset =
    examples.length === 1 &&
    h('button', { class: 'text-button', type: 'button', onclick: () => set(pretty(examples[0][1])) }, 'Reset to the example');
  return [
    field(h('code', null, media.type), input, { required: operation.body.required }),
    h('div', { class: 'body-tools' }, state, pick, reset),
  ];
}

function partFields(media, form, field) {
  const { schema } = normalize(media.schema);
  return Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const node = normalize(part);
    const file = isFile(node.schema);
    const id = `page-try-part-${name}`;
    const input = file
      ? h('input', { id, type: 'file' })
      : h('input', { id, type: 'text', value: form.parts.get(name) ?? '', placeholder: typeLabel(node), autocomplete: 'off' });
    input.addEventListener('input', () => form.parts.set(name, file ? (input.files[0] ?? '') : input.value));
    return field(h('code', null, name), input, {
      required: schema.required?.includes(name),
      note: file && form.parts.get(name) instanceof File ? `Chosen: ${form.parts.get(name).name}` : undefined,
    });
  });
}

async function sendCall(call, signal) {
  const { operation } = call;
  let path = fullPath(operation);
  for (const { in: place, name } of operation.parameters) {
    if (place === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(call.path.get(name).trim()));
  }
  const headers = new Headers(call.headers);
  const header = call.scheme && schemeHeader(call.scheme);
  const key = header && typed.keys.get(call.scheme);
  if (key) headers.set(header.name, header.prefix + key);
  const request = {
    method: operation.method.toUpperCase(),
    headers,
    signal,
    cache: 'no-store',
    redirect: 'manual',
    // With a key the browser's own session stays out of it; without one it may be what is being tried, or made.
    credentials: header ? 'omit' : 'same-origin',
  };
  if (call.parts) {
    request.body = new FormData();
    for (const part of call.parts) request.body.append(part.name, part.blob ?? part.value);
  } else if (call.body && request.method !== 'GET') {
    headers.set('Content-Type', call.body.type);
    request.body = call.body.text;
  }
  const startedAt = performance.now();
  const response = await fetch(path + queryText(call.query), request);
  const bytes = await response.arrayBuffer();
  return { response, bytes, timeMs: performance.now() - startedAt };
}

const isText = (type) => /^text\/|json|xml|javascript|yaml|^application\/x-www-form-urlencoded/.test(type);
const sizeText = (bytes) =>
  bytes < 1000 ? `${bytes} B` : bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

function answerText(type, bytes) {
  if (!bytes.byteLength) return { text: '(no body)' };
  if (type && !isText(type)) return { text: `(${sizeText(bytes.byteLength)} of ${type})` };
  const raw = new TextDecoder().decode(bytes);
  try {
    if (/json/.test(type)) return { text: JSON.stringify(JSON.parse(raw), null, 2), language: 'json' };
  } catch {
    // Shown as it came: a broken body is what the visitor needs to see.
  }
  return { text: raw };
}

function showAnswer(output, { response, bytes, timeMs }) {
  const { text, language } = answerText(response.headers.get('content-type') ?? '', bytes);
  const cut = text.length > MAX_SHOWN_CHARS;
  const shown = cut ? text.slice(0, MAX_SHOWN_CHARS) : text;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const body = h('div');
  const list = tabs('Response', ['Body', `Headers (${[...response.headers].length})`], (index) => {
    body.replaceChildren(index === 0 ? codeBlock(shown, language, 'Response body') : codeBlock(headers, undefined, 'Response headers'));
    if (index === 0 && cut)
      body.append(
        h('p', { class: 'quiet card-note' }, `The first ${MAX_SHOWN_CHARS.toLocaleString('en')} characters; copy takes all of them.`),
      );
  });
  const reason = response.statusText || STATUS_TEXTS[response.status] || '';
  output.hidden = false;
  output.replaceChildren(
    h(
      'div',
      { class: 'answer-line' },
      h('span', { class: `status status-${statusKind(response.status)}` }, `${response.status} ${reason}`.trim()),
      h('span', { class: 'quiet' }, `${timeMs < 10 ? timeMs.toFixed(1) : Math.round(timeMs)} ms`),
      h('span', { class: 'quiet' }, sizeText(bytes.byteLength)),
    ),
    h(
      'div',
      { class: 'card' },
      h(
        'div',
        { class: 'card-head' },
        list,
        copyButton('the response body', () => text),
      ),
      body,
    ),
  );
  announce(`Status ${response.status} ${reason}`);
  output.scrollIntoView({ block: 'nearest' });
}

// Sidebar

const groupElements = new Map();

function drawSidebar() {
  page.nav.replaceChildren();
  groupElements.clear();
  for (const tag of api.tags) {
    const id = `page-group-${groupElements.size}`;
    const links = new Map(
      tag.operations.map((operation) => [
        operation.id,
        h(
          'li',
          null,
          h(
            'a',
            {
              class: operation.deprecated ? 'nav-link deprecated' : 'nav-link',
              href: operationHash(operation),
              title: `${operation.method.toUpperCase()} ${operation.path}`,
            },
            h('span', null, operation.summary),
            methodBadge(operation.method, true),
          ),
        ),
      ]),
    );
    const list = h('ul', { id, hidden: true }, [...links.values()]);
    const toggle = h(
      'button',
      { class: 'nav-toggle', type: 'button', 'aria-expanded': 'false', 'aria-controls': id, 'aria-label': `Endpoints of ${tag.name}` },
      icon(icons.chevron),
    );
    const group = {
      tag,
      links,
      element: h('div', { class: 'nav-group' }, h('div', { class: 'nav-head' }, toggle, h('a', { href: tagHash(tag) }, tag.name)), list),
      setOpen(open) {
        list.hidden = !open;
        toggle.setAttribute('aria-expanded', String(open));
      },
    };
    toggle.addEventListener('click', () => group.setOpen(list.hidden));
    groupElements.set(tag.name, group);
    page.nav.append(group.element);
  }
  page.nav.append(h('p', { class: 'quiet nav-empty', hidden: true }, 'No endpoint matches.'));
}

function applyFilter() {
  const terms = page.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const group of groupElements.values()) {
    let matches = 0;
    for (const operation of group.tag.operations) {
      const fits = terms.every((term) => operation.words.includes(term));
      group.links.get(operation.id).hidden = !fits;
      if (fits) matches++;
    }
    count += matches;
    group.element.hidden = matches === 0;
    group.setOpen(terms.length > 0 ? matches > 0 : group.tag.name === current.tag?.name);
  }
  page.nav.querySelector('.nav-empty').hidden = count > 0;
  page.filterCount.textContent = terms.length ? plural(count, 'endpoint') : '';
}

function visibleLinks() {
  return [...page.nav.querySelectorAll('.nav-link')].filter((link) => link.checkVisibility());
}

function moveInSidebar(event) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = visibleLinks();
  const at = links.indexOf(document.activeElement);
  if (at < 0 && document.activeElement !== page.filter) return;
  event.preventDefault();
  const next = event.key === 'ArrowDown' ? at + 1 : at - 1;
  if (next < 0) page.filter.focus();
  else links[Math.min(next, links.length - 1)]?.focus();
}

function markCurrent(operation) {
  for (const link of page.nav.querySelectorAll('[aria-current]')) link.removeAttribute('aria-current');
  const group = current.tag && groupElements.get(current.tag.name);
  if (!group) return;
  const link = operation ? group.links.get(operation.id).firstChild : group.element.querySelector('.nav-head a');
  link.setAttribute('aria-current', 'true');
  link.scrollIntoView({ block: 'nearest' });
}

function setMenuOpen(open) {
  page.sidebar.classList.toggle('open', open);
  page.menu.setAttribute('aria-expanded', String(open));
  page.scrim.hidden = !open;
  document.documentElement.classList.toggle('menu-open', open);
  if (open) page.filter.focus();
}

// Routing: '' is the front page, '#tag/<name>' a group, '#<operationId>' an operation on its group's page

const current = { tag: undefined, drawn: undefined };
let spy;
let spyQuietUntil = 0;

function target() {
  let hash = location.hash.slice(1);
  try {
    hash = decodeURIComponent(hash);
  } catch {
    return {};
  }
  if (hash.startsWith('tag/')) return { tag: api.tags.find((tag) => tag.name === hash.slice(4)) };
  const operation = api.operations.get(hash);
  return { operation, tag: operation && api.tags.find((tag) => tag.name === operation.tag) };
}

function watchScroll() {
  spy?.disconnect();
  spy = new IntersectionObserver(
    (entries) => {
      const seen = entries.find((entry) => entry.isIntersecting);
      if (!seen || performance.now() < spyQuietUntil) return;
      const operation = api.operations.get(seen.target.id);
      history.replaceState(null, '', operation ? operationHash(operation) : tagHash(current.tag));
      markCurrent(operation);
    },
    { rootMargin: '-12% 0px -80% 0px' },
  );
  for (const section of page.main.querySelectorAll('.operation, .intro')) spy.observe(section);
}

function route({ isFirst = false } = {}) {
  if (location.hash === '#page-main') return;
  const { tag, operation } = target();
  const key = tag?.name ?? '';
  // Longer than it takes the observer to report the jump, so that a short last section keeps its own address.
  spyQuietUntil = performance.now() + 300;
  if (current.drawn !== key) {
    current.tag = tag;
    current.drawn = key;
    page.main.replaceChildren(...(tag ? tagView(tag) : homeView()).flat(Infinity));
    if (!operation) window.scrollTo(0, 0);
    if (tag) watchScroll();
    else spy?.disconnect();
    if (!page.filter.value) applyFilter();
  }
  const title = operation?.summary ?? tag?.name;
  document.title = `${title ? `${title} · ` : ''}${api.doc.info?.title ?? 'API reference'}`;
  markCurrent(operation);
  setMenuOpen(false);
  const place = operation ? byId(operation.id) : page.main.querySelector('h1');
  if (operation) place.scrollIntoView();
  else if (!isFirst) window.scrollTo(0, 0);
  if (!isFirst) place?.focus({ preventScroll: true });
}

// Start

function showFailure(error) {
  page.main.replaceChildren(
    h(
      'div',
      { class: 'notice', role: 'alert' },
      h('h1', null, 'The reference could not be loaded'),
      h('p', null, 'It is made from ', h('code', null, DOCUMENT_URL), `, which did not answer as expected: ${error.message}`),
      h('button', { class: 'button', type: 'button', onclick: () => start() }, 'Try again'),
    ),
  );
}

async function start() {
  try {
    const response = await fetch(DOCUMENT_URL, { headers: { Accept: 'application/json' } });
    if (!response.ok) throw new Error(`status ${response.status}`);
    readDocument(await response.json());
  } catch (error) {
    showFailure(error);
    return;
  }
  page.version.textContent = api.doc.info?.version ?? '';
  drawSidebar();
  current.drawn = undefined;
  route({ isFirst: true });
}

page.filter.addEventListener('input', applyFilter);
page.filter.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') visibleLinks()[0]?.click();
  if (event.key === 'Escape') {
    page.filter.value = '';
    applyFilter();
    page.filter.blur();
  }
});
page.sidebar.addEventListener('keydown', moveInSidebar);
page.menu.addEventListener('click', () => setMenuOpen(page.scrim.hidden));
page.scrim.addEventListener('click', () => setMenuOpen(false));
page.dialog.addEventListener('click', (event) => {
  if (event.target === page.dialog) page.dialog.close();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !page.scrim.hidden) setMenuOpen(false);
  const typing = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey || page.dialog.open) return;
  event.preventDefault();
  if (matchMedia('(max-width: 860px)').matches) setMenuOpen(true);
  page.filter.focus();
  page.filter.select();
});
window.addEventListener('hashchange', () => route());

await start();
