/** A day's work without a pointer: no test here presses, hovers or touches anything. */
import { expect } from 'vitest';
import { test } from '../dashboard.ts';
import { furnishTeam } from '../furnished-team.ts';

test('sign in, make an agent, read a session with its memories, search and sign out, by keys alone', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard);
  const page = await dashboard.open('/sign-in');
  const { keyboard } = page;
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  await page.getByLabel('E-mail').focus();
  await keyboard.type(team.owner.email);
  await keyboard.press('Tab');
  await keyboard.type(team.owner.password);
  await keyboard.press('Enter');
  await heading('Overview');

  // An agent: to the list, create, send the form.
  await keyboard.type('ga');
  await heading('Agents');
  await page.getByRole('link', { name: 'Order desk', exact: true }).waitFor();
  await keyboard.press('c');
  await page.getByRole('dialog').waitFor();
  await keyboard.type('Foreman');
  await keyboard.press('Control+Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await team.client.agents.list()).data.map(({ name }) => name)).toContain('Foreman');

  // A session: down the list, open, the first memory, and the message that it came from is marked.
  await page.goto(team.path(`/sessions?agent=${team.agent.id}`));
  await page.getByRole('link', { name: team.session.title }).waitFor();
  await keyboard.press('j');
  expect(await focused()).toContain(team.session.title);
  await keyboard.press('Enter');
  await heading(team.session.title);
  // Its memories come after its messages, and a key that is pressed before is for nobody.
  await page.getByRole('list', { name: 'Memories', exact: true }).getByRole('button').first().waitFor();
  await keyboard.press(']');
  await page.waitForURL('**memory=*');

  // The palette finds a page by its name, and everything by meaning.
  await keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).waitFor();
  await keyboard.type('access k');
  await keyboard.press('Enter');
  await heading('Access keys');
  await keyboard.press('Control+k');
  await keyboard.type('sign out');
  await keyboard.press('Enter');
  await page.waitForURL('**/sign-in');
});
