/** `key create`: an API key of a user, or an access key of a workspace. The key alone goes to standard output. */
import { NewAccessKey } from '@commonplace/contract/access-keys';
import { NewApiKey } from '@commonplace/contract/api-keys';
import { grantablePermissions } from '@commonplace/contract/permissions';
import type { User } from '@commonplace/contract/users';
import { createAccessKey } from '../access-keys/store.ts';
import { createApiKey } from '../api-keys/store.ts';
import type { Actor } from '../auth/callers.ts';
import { findRole } from '../auth/store.ts';
import type { Database } from '../db/database.ts';
import { isId } from '../db/ids.ts';
import { validate } from '../http/validation.ts';
import { findUser } from '../users/store.ts';
import { type Arguments, exitCodes, requireText, textOf, UsageError } from './command.ts';
import { withCurrentDatabase } from './database.ts';

interface Made {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly expiresAt: string | null;
}

export async function run(given: Arguments): Promise<number> {
  const workspaceId = textOf(given, 'workspace')?.toLowerCase();
  if (workspaceId !== undefined && textOf(given, 'email') !== undefined) {
    throw new UsageError('--email makes an API key and --workspace an access key; give one of them');
  }
  const made = workspaceId === undefined ? await makeApiKey(given) : await makeAccessKey(given, workspaceId);
  process.stdout.write(`${made.key}\n`);
  const kind = workspaceId === undefined ? 'API key' : 'access key';
  const until = made.expiresAt === null ? 'It does not expire.' : `It expires at ${made.expiresAt}.`;
  process.stderr.write(`Made the ${kind} "${made.name}" (${made.id}). ${until} Keep it now: it can't be shown again.\n`);
  return exitCodes.done;
}

async function makeApiKey(given: Arguments): Promise<Made> {
  for (const name of ['created-by', 'permissions']) {
    if (textOf(given, name) !== undefined) throw new UsageError(`--${name} goes with --workspace`);
  }
  if (textOf(given, 'email') === undefined) throw new UsageError('--email or --workspace is needed');
  const email = requireText(given, 'email');
  const newKey = validate(NewApiKey, { name: requireText(given, 'name'), expiresAt: textOf(given, 'expires') });
  const meanwhile = 'While it runs, make keys through its API: POST /api/v1/apiKeys.';
  return withCurrentDatabase(meanwhile, async (db) => {
    const user = await requireUserBy(db, email);
    return createApiKey(db, actorFor(user), user.id, newKey, db.clock.nowMs());
  });
}

async function makeAccessKey(given: Arguments, workspaceId: string): Promise<Made> {
  if (!isId(workspaceId)) throw new UsageError('--workspace takes the id of a workspace, a UUID');
  const email = requireText(given, 'created-by');
  const permissions = requireText(given, 'permissions');
  const newKey = validate(NewAccessKey, {
    name: requireText(given, 'name'),
    permissions: permissions === 'all' ? grantablePermissions : permissions.split(',').map((name) => name.trim()),
    expiresAt: textOf(given, 'expires'),
  });
  const meanwhile = `While it runs, make keys through its API: POST /api/v1/workspaces/${workspaceId}/keys.`;
  return withCurrentDatabase(meanwhile, async (db) => {
    const user = await requireUserBy(db, email);
    const role = await findRole(db, workspaceId, user.id);
    if (role !== 'owner') throw new Error(`${user.email} owns no workspace with the id ${workspaceId}.`);
    return createAccessKey(db, actorFor(user), workspaceId, newKey, db.clock.nowMs());
  });
}

async function requireUserBy(db: Database, email: string): Promise<User> {
  const user = await findUser(db, email.trim().toLowerCase());
  if (!user) throw new Error(`There is no account with the e-mail address ${email}.`);
  return user;
}

function actorFor(user: User): Actor {
  return { type: 'system', id: user.id, name: user.name, address: 'local', requestId: 'command line' };
}
