/** What people and programs write is shown as it is, and never run; however long, however many, whichever way it runs. */
import { expect } from 'vitest';
import { expectNoSidewaysScroll } from '../accessibility.ts';
import { type Dashboard, test } from '../dashboard.ts';
import { type FurnishedTeam, furnishTeam, pagesOf, type Words } from '../furnished-team.ts';

const SCRIPT = `<script>window.hacked=1</script><img src=x onerror="window.hacked=1"><svg onload="window.hacked=1">`;
const LINK = '[press](javascript:window.hacked=1) {{constructor}} #{window.hacked=1}';
const RIGHT_TO_LEFT = 'مرحبا بالعالم \u202e reversed \u202c שלום';
const EMOJI = '👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀'.repeat(8);
const LONG_WORD = 'x'.repeat(59_000);
const LABELS = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`${at}-${'k'.repeat(50)}`, `<b>${'v'.repeat(240)}</b>`]));

const hostileWords: Words = {
  workspace: `<script>alert(1)</script>${'W'.repeat(30)}`,
  agent: `${SCRIPT.slice(0, 60)}${EMOJI.slice(0, 11)}`,
  title: `${SCRIPT}${RIGHT_TO_LEFT}`.slice(0, 250),
  labels: LABELS,
  said: [
    SCRIPT,
    LINK,
    RIGHT_TO_LEFT,
    EMOJI,
    LONG_WORD,
    `\u0000-free but \u0007 odd \u200b\u2028 ${'\n'.repeat(300)} end`.replace('\u0000', ''),
  ],
  answered: `# ${SCRIPT}\n\n<iframe src="javascript:window.hacked=1"></iframe>`,
  memory: `${SCRIPT} ${RIGHT_TO_LEFT}`,
  prompt: `{{__proto__}} {{constructor}} ${SCRIPT} {{${'v'.repeat(60)}}}`,
  document: `# ${SCRIPT}\n\n${RIGHT_TO_LEFT}\n\n${'word '.repeat(2_000)}\n\n${LONG_WORD}\n`,
  documentTitle: SCRIPT,
};

/** Many sessions with many labels each: together more than 10,000. */
async function addLabels({ client, agent }: FurnishedTeam): Promise<void> {
  for (let at = 0; at < 320; at += 16) {
    const some = Array.from({ length: 16 }, (_, index) => at + index);
    await Promise.all(
      some.map((number) => {
        const labels = Object.fromEntries(Array.from({ length: 32 }, (_, key) => [`label-${number}-${key}`, `${number}.${key}`]));
        return client.sessions.create(agent.id, { id: `many-${number}`, labels });
      }),
    );
  }
}

async function requireHarmless(dashboard: Dashboard, team: FurnishedTeam, phone: boolean): Promise<void> {
  const page = await dashboard.open('/', { as: team.owner, phone });
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  for (const path of pagesOf(team)) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await expectNoSidewaysScroll(page);
    expect(await page.evaluate(() => 'hacked' in window), path).toBe(false);
  }
  expect(dialogs).toEqual([]);
}

test('hostile content is shown and never run, on a desk and on a phone', async ({ dashboard }) => {
  const team = await furnishTeam(dashboard, hostileWords);
  await addLabels(team);
  for (const phone of [false, true]) await requireHarmless(dashboard, team, phone);
  const page = await dashboard.open(team.path(`/agents/${team.agent.id}/sessions/${team.session.id}`), { as: team.owner });
  // As it was written, character by character.
  await page.getByText(SCRIPT).first().waitFor();
  await page.getByText(LINK).first().waitFor();
});
