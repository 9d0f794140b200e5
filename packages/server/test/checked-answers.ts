/** Every answer of every test that is written as it is must be what the contract says, and the same when it is written in pieces. */
import type { z } from 'zod';
import type { Api } from '../src/http/api.ts';
import { isJsonAnswer } from '../src/http/route.ts';
import { type Serializer, serializerOf } from '../src/http/serializers.ts';

const checked = new WeakSet<Serializer>();

export function checkAnswers({ routes }: Api): void {
  for (const { answers, name } of routes) {
    const { body } = answers;
    if (!isJsonAnswer(body)) continue;
    const serializer = serializerOf(body);
    if (checked.has(serializer)) continue;
    checked.add(serializer);
    const writePieces = serializer.writePieces.bind(serializer);
    serializer.writeAsItIs = (answer) => {
      const text = JSON.stringify(answer);
      requireContract(name, body, text);
      const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
      if (isObject && [...writePieces(answer as Record<string, unknown>)].join('') !== text)
        throw new Error(`${name} answers otherwise in pieces`);
      return text;
    };
    serializer.writePieces = function* (answer) {
      const pieces = [...writePieces(answer)];
      requireContract(name, body, pieces.join(''));
      yield* pieces;
    };
  }
}

function requireContract(name: string, body: z.ZodType, text: string): void {
  const { error } = body.safeParse(JSON.parse(text));
  if (error) throw new Error(`${name} answers otherwise than the contract says`, { cause: error });
}
