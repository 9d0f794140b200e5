import { expect } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { test } from '../dashboard.ts';

interface Named {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
}

test('without signing in, an operation is found, read and copied in three languages', async ({ dashboard }) => {
  const page = await dashboard.open('/docs');
  await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('/');
  await page.keyboard.type('tokenBudget session');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs?*operation=buildSessionContext*');
  await page.getByRole('heading', { level: 1, name: 'Build the context for a session’s next model call' }).waitFor();
  await page.getByRole('button', { name: 'Show 11 fields of pieces' }).click();
  await page.getByText('CAN_QUERY_SESSION_MEMORIES').first().waitFor();
  await expectAccessible(page);
  for (const [language, text] of [
    ['curl', 'curl -X POST'],
    ['TypeScript', 'commonplace.sessions.context(agentId, sessionId'],
    ['Python', 'requests.post('],
  ] as const) {
    await page.getByRole('button', { name: language, exact: true }).click();
    await page.getByRole('region', { name: 'Request', exact: true }).getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(text);
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
  }
  await page.waitForURL('**language=python*');
});

test('each operation and group has an address, old anchors lead to them, and back leads back', async ({ dashboard }) => {
  const page = await dashboard.open('/docs#createAgent');
  await page.getByRole('heading', { level: 1, name: 'Make an agent' }).waitFor();
  await page.waitForURL('**/docs?operation=createAgent');
  expect(await page.title()).toContain('Make an agent');
  await page.getByRole('link', { name: 'Next List the agents' }).click();
  await page.getByRole('heading', { level: 1, name: 'List the agents' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Make an agent' }).waitFor();
  await page.goto('/docs/#tag/Access%20keys');
  await page.getByRole('heading', { level: 1, name: 'Access keys' }).waitFor();
  await page.goto('/docs?operation=neverWas');
  await page.getByText('There is no operation “neverWas”').waitFor();
  await page.getByRole('link', { name: 'See all operations' }).click();
  await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();
});

test('the last operation of each group is shown, found by its name', async ({ dashboard }) => {
  const { paths } = (await dashboard.api.anonymous.get('/openapi.json')).body as { paths: Record<string, Record<string, Named>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const ofTags = new Map(operations.map((operation) => [operation.tags[0], operation]));
  expect(ofTags.size).toBeGreaterThan(15);
  const page = await dashboard.open('/docs');
  const search = page.getByRole('searchbox', { name: 'Search the reference' });
  for (const { operationId, summary } of ofTags.values()) {
    await search.fill(operationId);
    await search.press('Enter');
    await page.getByRole('heading', { level: 1, name: summary, exact: true }).waitFor();
    await page.getByRole('region', { name: 'Request in curl' }).waitFor();
  }
});

test('nothing in a schema of the document is unknown to the page', async ({ dashboard }) => {
  const { paths, components } = (await dashboard.api.anonymous.get('/openapi.json')).body;
  const found = new Set<string>();
  const visit = (schema: Record<string, unknown>) => {
    for (const [keyword, value] of Object.entries(schema)) {
      found.add(keyword);
      if (keyword === 'properties') for (const each of Object.values(value as object)) visit(each);
      else if (['anyOf', 'oneOf'].includes(keyword)) for (const each of value as object[]) visit(each as Record<string, unknown>);
      else if (['items', 'additionalProperties', 'contentSchema'].includes(keyword) && typeof value === 'object')
        visit(value as Record<string, unknown>);
    }
  };
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'schema') visit(inner);
      else if (key !== 'example') search(inner);
    }
  };
  search(paths);
  for (const schema of Object.values(components.schemas)) visit(schema as Record<string, unknown>);
  const known =
    'type description properties required additionalProperties items anyOf oneOf enum const default examples format pattern contentMediaType contentSchema ' +
    'minLength maxLength minItems maxItems maxProperties minimum maximum exclusiveMinimum x-max-bytes x-max-values x-max-keys $ref';
  expect([...found].filter((keyword) => !known.split(' ').includes(keyword))).toEqual([]);
});

test('a call is tried as who is signed in; what changes data asks first, and a typed key is stored nowhere', async ({ dashboard }) => {
  const { owner, workspace, client } = await dashboard.newTeam();
  const page = await dashboard.open('/docs?operation=createAgent&panel=try', { as: owner });
  const dialog = page.getByRole('dialog', { name: 'Make an agent' });
  await dialog.getByLabel('workspaceId').fill(workspace.id);
  await dialog.getByLabel('Body, application/json').fill('{"name": "Order desk"');
  await dialog.getByText('The body is not JSON').waitFor();
  await dialog.getByLabel('Body, application/json').fill('{"name": "Order desk"}');
  expect(await dialog.getByRole('button', { name: 'Send request' }).isDisabled()).toBe(true);
  await dialog.getByLabel('This changes data. Send it').check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await dialog.getByRole('status').getByText('201').waitFor();
  const [agent] = (await client.agents.list()).data;
  expect(agent?.name).toBe('Order desk');

  await page.goto('/docs?operation=listAgents&panel=try');
  const key = await client.accessKeys.create({ name: 'Reader', permissions: ['CAN_LIST_AGENTS'] });
  const list = page.getByRole('dialog', { name: 'List the agents' });
  await list.getByLabel('Caller').selectOption('Access key');
  await list.getByLabel('Access key').fill(key.key);
  await list.getByLabel('workspaceId').fill(workspace.id);
  const [request] = await Promise.all([page.waitForRequest('**/agents'), list.getByRole('button', { name: 'Send request' }).click()]);
  await list.getByRole('status').getByText('200').waitFor();
  const headers = await request.allHeaders();
  expect([headers['x-access-key'], headers.cookie]).toEqual([key.key, undefined]);
  await list.getByText('"Order desk"').waitFor();
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, address: location.href }));
  expect(kept).not.toContain(key.key);
});

test('without a sign-in, trying a call says so, and complains of nothing before it is sent', async ({ dashboard }) => {
  const { owner } = await dashboard.newTeam();
  const page = await dashboard.open('/docs?operation=getAgent&panel=try');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Nobody is signed in here.').waitFor();
  expect(await dialog.getByText(/is missing|is required|as you are signed in/).count()).toBe(0);
  await expectAccessible(page);
  const send = dialog.getByRole('button', { name: 'Send request' });
  await send.click();
  await dialog.getByText('agentId is required').waitFor();
  await dialog.getByLabel('workspaceId').fill('w');
  await dialog.getByLabel('agentId').fill('a');
  await send.click();
  await dialog.getByRole('alert').getByText('Sign in, or choose a key').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Caller').selectOption('Access key');
  await send.click();
  await dialog.getByText('Access key is required').waitFor();
  await dialog.getByLabel('Caller').selectOption('Dashboard sign-in');
  await dialog.getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL('**/sign-in?next=*');
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/docs?operation=getAgent&panel=try');
  await dialog.getByText('You, as you are signed in here.').waitFor();
});

test('on a phone, in the dark, the navigation is a sheet and nothing scrolls sideways', async ({ dashboard }) => {
  const page = await dashboard.open('/docs?operation=searchWorkspace', { phone: true, dark: true });
  await page.getByRole('heading', { level: 1, name: 'Search documents, memories and messages together' }).waitFor();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await page.getByRole('link', { name: /^Prompts/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Prompts' }).waitFor();
  await page.getByRole('complementary', { name: 'Operations' }).waitFor({ state: 'hidden' });
});
