/** The order of test files: those that take minutes first, so that none of them is left alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Vitest knows how long a file took when it ran here before; on a clean checkout it goes by size, which says little. */
const LONGEST = [
  'packages/server/test/neighbours.test.ts',
  'packages/server/test/pack.test.ts',
  'packages/server/test/memory.test.ts',
  'packages/server/test/faults.test.ts',
  'packages/server/test/soak.test.ts',
  'packages/server/test/openapi-clients.test.ts',
  'packages/client/test/faults.test.ts',
  'packages/dashboard/test/once/every-page.test.ts',
  'deploy/test/image.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
