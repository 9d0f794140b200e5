/** Every answer of every test that is written as it is must be what the contract says. */
import type { Api } from '../src/http/api.ts';
import { StoredFile } from '../src/http/route.ts';
import { type Serializer, serializerOf } from '../src/http/serializers.ts';

const checked = new WeakSet<Serializer>();

export function checkAnswers({ routes }: Api): void {
  for (const { answers, name } of routes) {
    const { body } = answers;
    if (!body || body === StoredFile) continue;
    const serializer = serializerOf(body);
    if (checked.has(serializer)) continue;
    checked.add(serializer);
    serializer.writeAsItIs = (answer) => {
      const text = JSON.stringify(answer);
      const { error } = body.safeParse(JSON.parse(text));
      if (error) throw new Error(`${name} answers otherwise than the contract says`, { cause: error });
      return text;
    };
  }
}
