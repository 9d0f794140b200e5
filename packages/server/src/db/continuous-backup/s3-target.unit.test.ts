import { expect, test } from 'vitest';
import type { Log } from '../../logging.ts';
import { insertNote, newFolder, openForTest } from '../sqlite/open-for-test.ts';
import { backupTo, restoredNotes, waitForSnapshots } from './backup-for-test.ts';
import { signRequest } from './s3-signature.ts';
import { ACCESS_KEY_ID, SECRET_ACCESS_KEY, type StandIn, startBucket } from './s3-stand-in.ts';
import { openTarget } from './target.ts';
import { isSameTarget, readTargetUrl } from './target-url.ts';

const keys = { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY };

const urlOf = ({ endpoint }: StandIn, prefix = 'a folder/of ours') =>
  `s3://bucket/${encodeURI(prefix)}?endpoint=${encodeURIComponent(endpoint)}&region=eu-central-1`;

test('the signature is that of the example in the documentation of S3', () => {
  const { authorization } = signRequest(
    { method: 'GET', url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'), headers: { Range: 'bytes=0-9' } },
    { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    'us-east-1',
    new Date('2013-05-24T00:00:00.000Z'),
  );
  expect(authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('objects are stored, listed over several pages, read and deleted, below a prefix with odd characters', async () => {
  const bucket = await startBucket('bucket');
  const target = openTarget({ ...backupTo(urlOf(bucket, "it's (ours)/ä+b & c")), ...keys });
  const names = ['1/a', '1/b', '1/c/d', '1/e', '2/f', '2/g', 'h'];
  for (const name of names) await target.put(name, Buffer.from(name));
  expect(bucket.refusals).toEqual([]);
  expect([...bucket.objects.keys()]).toEqual(names.map((name) => `it's (ours)/ä+b & c/${name}`));
  expect(await target.listFolders()).toEqual(['1', '2']);
  expect(await Array.fromAsync(target.list(''))).toEqual(names.map((name) => ({ name, sizeBytes: name.length })));
  expect((await Array.fromAsync(target.list('1/', '1/b'))).map(({ name }) => name)).toEqual(['1/c/d', '1/e']);
  expect(String(await target.get('1/c/d'))).toBe('1/c/d');
  expect(await target.get('nothing')).toBeUndefined();
  await target.remove(names.slice(1));
  expect(bucket.objects.size).toBe(1);
});

test('a bucket that fails, cuts connections and forgets to answer gets everything all the same, and no secret is logged', async () => {
  const bucket = await startBucket('bucket');
  let requests = 0;
  bucket.fault = () => (['error', 'cut', 'half', undefined, undefined, undefined, undefined, undefined] as const)[requests++ % 8];
  const lines: string[] = [];
  const write = (fields: object, message: string) => lines.push(JSON.stringify(fields), message);
  const log: Log = { info: write, warn: write, error: write };
  const backup = { ...backupTo(urlOf(bucket)), ...keys };
  const db = await openForTest({ dataDir: newFolder(), backup, log });
  await waitForSnapshots(db);
  for (let n = 0; n < 5; n++) await db.run(insertNote(`n${n}`));
  bucket.fault = () => undefined;
  await expect.poll(() => db.gauges().backup_is_failing).toBe(0);
  await db.close();
  expect(bucket.refusals).toEqual([]);
  expect((await restoredNotes(backup)).ids).toHaveLength(5);
  expect(lines.join('\n')).toContain('The continuous backup fails');
  expect(lines.join('\n')).not.toContain(SECRET_ACCESS_KEY);
});

test('a list that ends before its end is an error, not a short list', async () => {
  const bucket = await startBucket('bucket');
  const target = openTarget({ ...backupTo(urlOf(bucket)), ...keys });
  for (const name of ['a', 'b', 'c', 'd']) await target.put(name, Buffer.from(name));
  bucket.alterList = (page) => page.replace(/<NextContinuationToken>.*<\/NextContinuationToken>/, '');
  await expect(Array.fromAsync(target.list(''))).rejects.toThrow('lists a part');
});

test('a wrong key is said, without what the bucket repeats of the request', async () => {
  const bucket = await startBucket('bucket');
  const target = openTarget({ ...backupTo(urlOf(bucket)), ...keys, secretAccessKey: 'another' });
  const error = (await target.get('x').catch((failure: unknown) => failure)) as Error;
  expect(error.message).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/bucket\/.* was answered 403 SignatureDoesNotMatch: another signature$/);
  expect(() => openTarget({ ...backupTo(urlOf(bucket)), secretAccessKey: 'x' })).toThrow('AWS_ACCESS_KEY_ID');
});

test.for([
  ['file:///backups/commonplace', { kind: 'folder', folder: '/backups/commonplace' }],
  ['s3://my.bucket', { kind: 's3', bucket: 'my.bucket', prefix: '', region: 'us-east-1', endpoint: undefined }],
  [
    's3://b-1/x/y/?endpoint=http://127.0.0.1:9000/&region=eu-west-1',
    { kind: 's3', bucket: 'b-1', prefix: 'x/y/', region: 'eu-west-1', endpoint: 'http://127.0.0.1:9000' },
  ],
  ...[
    '/backups',
    'file:///',
    'file://host/x',
    's3://',
    's3://key:secret@bucket/x',
    's3://bucket?secret=x',
    's3://bucket/100%',
    'file:///backups/100%',
    'file:///a%2Fb',
    's3://bucket?endpoint=ftp://x',
    'https://x',
  ].map((text) => [text, undefined] as const),
] as const)('the address %s', ([text, expected]) => {
  expect(readTargetUrl(text)).toEqual(expected);
});

test('an address that is written differently is of the same target', () => {
  expect(isSameTarget('file:///a/b', 'file:///a/b/')).toBe(true);
  expect(isSameTarget('s3://bucket/x?region=us-east-1', 's3://bucket/x/')).toBe(true);
  expect(isSameTarget('s3://bucket/x', 's3://bucket/y')).toBe(false);
  expect(isSameTarget('file:///a/b', 'file:///a/c')).toBe(false);
});
