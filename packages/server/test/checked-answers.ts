/** Every answer of every test that is written as it is must be what the contract says. */
import type { Api } from '../src/http/api.ts';

type Checked = { hasContractKeys?: (answer: unknown) => boolean };

export function checkAnswers({ routes }: Api): void {
  for (const route of routes) {
    const { answers, name, hasContractKeys } = route;
    if (!hasContractKeys) continue;
    (route as Checked).hasContractKeys = (answer) => {
      if (!hasContractKeys(answer)) return false;
      const parsed = answers.body?.safeParse(JSON.parse(JSON.stringify(answer)));
      if (parsed?.error) throw new Error(`${name} answers otherwise than the contract says`, { cause: parsed.error });
      return true;
    };
  }
}
