/** Addresses of what does not exist, or is somebody else's: the same frame on every page, with the API's own words. */
import { expect } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { test } from '../dashboard.ts';

const NOBODY = '01a1e24d-0000-7000-8000-000000000000';

test('a page whose id is not known says so, and leads home', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const stranger = await dashboard.newTeam('Elsewhere');
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const foreign = await stranger.client.agents.create({ name: 'Night desk' });
  const page = await dashboard.open(team.path(), { as: team.owner });
  const addresses = [
    ...[`/w/${NOBODY}`, `/w/${NOBODY}/settings`, stranger.path('/knowledge')],
    ...[NOBODY, 'nonsense', foreign.id].map((id) => team.path(`/agents/${id}`)),
    ...[team.path(`/agents/${NOBODY}?tab=memories`), team.path(`/agents/${foreign.id}/sessions/${NOBODY}`)],
    ...[NOBODY, 'nonsense'].flatMap((id) =>
      [`/agents/${agent.id}/sessions/${id}`, `/prompts/${id}`, `/knowledge/${id}`].map((below) => team.path(below)),
    ),
  ];
  for (const address of addresses) {
    await page.goto(address);
    await page.getByRole('heading', { level: 1, name: 'Not found', exact: true }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count(), address).toBe(1);
    await page.getByRole('alert').getByText('404').waitFor();
    // What is not there does not come by asking again.
    expect(await page.getByRole('button', { name: 'Try again' }).count(), address).toBe(0);
    expect(await page.getByText('Night desk').count(), address).toBe(0);
    await expect.poll(() => page.title()).toBe('Not found · Commonplace');
  }
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Go to your workspace' }).click();
  await page.waitForURL(`**${team.path()}`);
});

test('what failed for another reason is asked for again', async ({ dashboard }) => {
  const team = await dashboard.newTeam();
  const agent = await team.client.agents.create({ name: 'Order desk' });
  const page = await dashboard.open(team.path('/agents'), { as: team.owner });
  await page.getByRole('link', { name: 'Order desk', exact: true }).waitFor();
  const broken = (url: URL) => url.pathname.endsWith(`/agents/${agent.id}`);
  const body = JSON.stringify({ errorMessage: 'Something went wrong', code: 'internal', requestId: 'req-1' });
  await page.route(broken, (route) => route.fulfill({ status: 500, contentType: 'application/json', body }));
  await page.getByRole('link', { name: 'Order desk', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'This page could not be shown' }).waitFor();
  await page.getByRole('alert').getByText('req-1').waitFor();
  await page.unroute(broken);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Order desk' }).waitFor();
});
