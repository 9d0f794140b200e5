import { afterAll, expect, test } from 'vitest';
import { openApi } from '../../test/api.ts';
import { titleOf } from '../../test/matrix-paths.ts';
import { isJsonAnswer } from './route.ts';
import { serializerOf } from './serializers.ts';

const { api, close } = await openApi();
afterAll(close);

test('every declared answer has a serializer, though none is compiled before it is needed', () => {
  const routes = api.app.api.routes.flatMap(({ answers, ...route }) =>
    isJsonAnswer(answers.body) ? [{ title: titleOf(route), body: answers.body }] : [],
  );
  expect(routes.length).toBeGreaterThan(50);
  for (const { title, body } of routes) expect(() => serializerOf(body).compile(), title).not.toThrow();
});
