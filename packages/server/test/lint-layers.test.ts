import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { layersFile, lintLayers } from '../../../scripts/lint-layers.ts';

test('the linter’s rules of who imports whom are those that scripts/lint-layers.ts says; npm run fix writes them', () => {
  expect(readFileSync(layersFile, 'utf8')).toBe(lintLayers());
});
