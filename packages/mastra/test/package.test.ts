/** The package as it is published. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../scripts/build-packages.ts';

test('holds JavaScript, declarations, a README and the license; runs with nothing but the client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  buildPackage('mastra', folder);
  const files = readdirSync(folder);
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const importedBy = (ending: string) =>
    files
      .filter((file) => file.endsWith(ending))
      .flatMap((file) => [...read(file).matchAll(/from\s*['"]([^'"]+)['"]/g)].map(([, name]) => name as string));
  expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file)).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(importedBy('.js').filter((name) => !/^\.\/.*\.js$/.test(name))).toEqual(['@commonplace/client/time-limit']);
  expect([...new Set(importedBy('.d.ts').filter((name) => !/^\.\/.*\.js$/.test(name)))]).toEqual(['@commonplace/client']);
  expect(JSON.parse(read('package.json'))).toMatchObject({
    dependencies: { '@commonplace/client': '0.1.0' },
    exports: { '.': { types: './index.d.ts' } },
  });
});
