/** `user create`: an account, its password from a terminal or a pipe. */
import { Setup, type User } from '@commonplace/contract/users';
import { hashPassword, isCommonPassword } from '../auth/passwords.ts';
import type { Database } from '../db/database.ts';
import { AppError, conflict, invalid } from '../errors.ts';
import { validate } from '../http/validation.ts';
import { createFirstUser, createUser, findUser, hasUsers, type NewUser, type Origin } from '../users/store.ts';
import { type Arguments, exitCodes, requireText } from './command.ts';
import { withCurrentDatabase } from './database.ts';
import { readPassword } from './password.ts';

const ORIGIN: Origin = { address: 'local', requestId: 'command line' };
const MEANWHILE =
  'While it runs, people join through its API: POST /api/v1/auth/setup makes the first account, an invite to a workspace the others.';

export async function run(given: Arguments): Promise<number> {
  const account = validate(Setup.pick({ email: true, name: true }), {
    email: requireText(given, 'email'),
    name: requireText(given, 'name'),
  });
  const user = await withCurrentDatabase(MEANWHILE, async (db) => {
    // Before a password is asked for; the database has the last word below.
    if (await findUser(db, account.email)) throw conflict('This e-mail address has an account already');
    const password = await readPassword(given.values['password-stdin'] === true);
    requireGood(password);
    return create(db, { ...account, passwordHash: await hashPassword(password) }, given.values.admin === true ? 'admin' : 'user');
  });
  process.stdout.write(`${user.id} ${user.email}\n`);
  process.stderr.write(`Made the account of ${user.name}${user.role === 'admin' ? ', an administrator' : ''}.\n`);
  return exitCodes.done;
}

async function create(db: Database, user: NewUser, role: User['role']): Promise<User> {
  const nowMs = db.clock.nowMs();
  if (!(await hasUsers(db))) {
    try {
      return await createFirstUser(db, ORIGIN, user, nowMs);
    } catch (error) {
      // On PostgreSQL somebody else may have been first.
      if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    }
  }
  return createUser(db, ORIGIN, user, role, nowMs);
}

function requireGood(password: string): void {
  validate(Setup.pick({ password: true }), { password });
  if (isCommonPassword(password)) throw invalid('password', 'Password is among the most common ones; choose another');
}
