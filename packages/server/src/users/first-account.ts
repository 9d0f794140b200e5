import { createApiKey } from '../api-keys/store.ts';
import type { Actor } from '../auth/callers.ts';
import { hashPassword } from '../auth/passwords.ts';
import type { Context } from '../context.ts';
import { insideTransaction } from '../db/nested.ts';
import { AppError } from '../errors.ts';
import { createFirstUser, hasUsers } from './store.ts';

const ORIGIN = { address: 'local', requestId: 'start' } as const;

/** The account and API key that the environment names, made once when the database is empty. */
export async function ensureFirstAccount({ db, config: { admin }, clock, log }: Context): Promise<void> {
  if (!admin || (await hasUsers(db))) return;
  const passwordHash = admin.password === undefined ? null : await hashPassword(admin.password);
  const nowMs = clock.nowMs();
  try {
    await db.transaction(async (tx) => {
      const user = await createFirstUser(insideTransaction(tx), ORIGIN, { email: admin.email, name: 'Administrator', passwordHash }, nowMs);
      if (admin.apiKey === undefined) return;
      const by: Actor = { type: 'system', id: user.id, name: user.name, ...ORIGIN };
      await createApiKey(tx, by, user.id, { name: 'From the environment' }, nowMs, admin.apiKey);
    });
    log.info({ email: admin.email }, 'made the first account');
  } catch (error) {
    // Another node was quicker.
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
  }
}
