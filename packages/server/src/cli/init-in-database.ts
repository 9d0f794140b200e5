/** What `init` makes, straight in the database: all or nothing. */
import { NewAccessKey } from '@commonplace/contract/access-keys';
import { NewAgent } from '@commonplace/contract/agents';
import { grantablePermissions } from '@commonplace/contract/permissions';
import type { User } from '@commonplace/contract/users';
import { NewWorkspace } from '@commonplace/contract/workspaces';
import { createAccessKey } from '../access-keys/store.ts';
import { createAgent } from '../agents/store.ts';
import type { Actor } from '../auth/callers.ts';
import { hashPassword } from '../auth/passwords.ts';
import { readConfig } from '../config.ts';
import type { Transaction } from '../db/database.ts';
import { insideTransaction } from '../db/nested.ts';
import { sql } from '../db/sql.ts';
import { validate } from '../http/validation.ts';
import { createFirstUser, findUser, hasUsers } from '../users/store.ts';
import { createWorkspace } from '../workspaces/store.ts';
import { UsageError } from './command.ts';
import { withCurrentDatabase } from './database.ts';
import { ACCOUNT_NAME, DEFAULT_EMAIL, type InitItem, type InitRequest, type InitResult, KEY_NAME } from './init-plan.ts';

const ORIGIN = { address: 'local', requestId: 'command line' } as const;

export async function initInDatabase(request: InitRequest): Promise<InitResult> {
  const newWorkspace = validate(NewWorkspace, { name: request.workspaceName });
  const newAgent = validate(NewAgent, { name: request.agentName, configs: { memoryPipeline: true } });
  const newKey = validate(NewAccessKey, { name: KEY_NAME, permissions: grantablePermissions });
  return withCurrentDatabase('', async (db) => {
    const nowMs = db.clock.nowMs();
    // Not inside: hashing takes a while, and the transaction holds up every other write.
    const passwordHash = (await hasUsers(db)) ? null : await hashPassword(request.password);
    const made = await db.transaction(async (tx) => {
      const user = await ensureAccount(tx, request, passwordHash, nowMs);
      const by: Actor = { type: 'system', id: user.id, name: user.name, ...ORIGIN };
      const workspace = (await findWorkspace(tx, user.id, newWorkspace.name)) ?? {
        ...(await createWorkspace(tx, by, newWorkspace, nowMs)),
        isNew: true,
      };
      const agent = (await findAgent(tx, workspace.id, newAgent.name)) ?? {
        ...(await createAgent(tx, by, workspace.id, newAgent, nowMs)),
        isNew: true,
      };
      const { key } = await createAccessKey(tx, by, workspace.id, newKey, nowMs);
      return { email: user.email, workspace, agent, accessKey: key };
    });
    if (passwordHash !== null) request.announce({ email: made.email, password: request.password }, storagePlace());
    return made;
  });
}

async function ensureAccount(tx: Transaction, { email }: InitRequest, passwordHash: string | null, nowMs: number): Promise<User> {
  if (passwordHash !== null) {
    return createFirstUser(insideTransaction(tx), ORIGIN, { email: email ?? DEFAULT_EMAIL, name: ACCOUNT_NAME, passwordHash }, nowMs);
  }
  if (email !== undefined) {
    const user = await findUser(tx, email);
    if (!user) throw new Error(`There is no account with the e-mail address ${email}.`);
    return user;
  }
  const [user, another] = await tx.query(sql<User>`select id, email, name, role from users order by id limit 2`);
  if (!user || another) throw new UsageError('there are several accounts: --email says whose workspace it is');
  return user;
}

async function findWorkspace(tx: Transaction, userId: string, name: string): Promise<InitItem | undefined> {
  const [found] = await tx.query(sql<{ id: string; name: string }>`
    select w.id, w.name from memberships m join workspaces w on w.id = m.workspace_id
    where m.user_id = ${userId} and m.role = 'owner' and w.name = ${name} order by w.id limit 1`);
  return found && { ...found, isNew: false };
}

async function findAgent(tx: Transaction, workspaceId: string, name: string): Promise<InitItem | undefined> {
  const [found] = await tx.query(
    sql<{
      id: string;
      name: string;
    }>`select id, name from agents where workspace_id = ${workspaceId} and name = ${name} order by id limit 1`,
  );
  return found && { ...found, isNew: false };
}

/** Another service may be running at the address that the settings name. */
function storagePlace(): string {
  const { databaseUrl, dataDir } = readConfig(process.env);
  return databaseUrl === undefined ? `the data in ${dataDir}` : 'the database of COMMONPLACE_DATABASE_URL';
}
