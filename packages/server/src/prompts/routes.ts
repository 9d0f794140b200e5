import {
  NewPrompt,
  NewPromptVersion,
  Prompt,
  PromptChanges,
  PromptDiff,
  Prompts,
  PromptValues,
  PromptVersion,
  PromptVersionChanges,
  PromptVersions,
  RenderedPrompt,
  VersionQuery,
} from '@commonplace/contract/prompts';
import { Page } from '@commonplace/contract/wire';
import { usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Queryable } from '../db/database.ts';
import type { Api } from '../http/api.ts';
import { createPromptComputing, type PromptComputing } from './computing.ts';
import { renderVersion } from './rendering.ts';
import { versionSelectorOf } from './rules.ts';
import type { ReadVersion } from './statements.ts';
import {
  createPrompt,
  deletePrompt,
  findPromptVersion,
  listPrompts,
  listPromptVersions,
  measurePrompt,
  measurePromptVersion,
  requireNamedVersion,
  requirePrompt,
  requirePromptVersion,
  updatePrompt,
} from './store.ts';
import { createPromptVersion, deletePromptVersion, updatePromptVersion } from './version-store.ts';

const workspacePath = '/workspaces/:workspaceId' as const;
const promptPath = `${workspacePath}/prompts/:promptId` as const;
const versionPath = `${promptPath}/versions/:promptVersionId` as const;

/** Prompts, their versions, and prompts by name: …/prompts, …/promptsByName */
export function promptRoutes(api: Api, { db, log }: Context): void {
  const computing = createPromptComputing(log);
  api.onClose(() => computing.close());
  wholePrompts(api);
  promptVersions(api, db, computing);
  promptsByName(api, computing);
}

async function withVariables(computing: PromptComputing, version: ReadVersion): Promise<PromptVersion> {
  const [variables = []] = await computing.variables([version]);
  return { ...version, variables };
}

function wholePrompts(api: Api): void {
  api.tag('Prompts', 'Named templates with numbered versions.');
  api.route({
    method: 'POST',
    path: `${workspacePath}/prompts`,
    name: 'createPrompt',
    tag: 'Prompts',
    summary: 'Make a prompt with its first version',
    access: usersAndKeys('CAN_CREATE_PROMPT'),
    body: NewPrompt,
    stores: 'text',
    answers: { status: 201, body: Prompt },
    handle: ({ db, by, params, body, nowMs }) => createPrompt(db, by, params.workspaceId, body, nowMs),
  });
  api.route({
    method: 'GET',
    path: `${workspacePath}/prompts`,
    name: 'listPrompts',
    tag: 'Prompts',
    summary: 'List the prompts',
    description: 'By handle.',
    access: usersAndKeys('CAN_LIST_PROMPTS'),
    query: Page,
    answers: { status: 200, body: Prompts },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listPrompts(db, params.workspaceId, query);
      return { prompts: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: promptPath,
    name: 'getPrompt',
    tag: 'Prompts',
    summary: 'Read a prompt',
    access: usersAndKeys('CAN_GET_PROMPT'),
    answers: { status: 200, body: Prompt },
    handle: ({ db, params }) => requirePrompt(db, params),
  });
  api.route({
    method: 'PUT',
    path: promptPath,
    name: 'updatePrompt',
    tag: 'Prompts',
    summary: 'Rename or describe a prompt',
    description: 'The handle follows the name.',
    access: usersAndKeys('CAN_UPDATE_PROMPT'),
    body: PromptChanges,
    stores: async ({ db, params, body }) => ({ bytes: -(await measurePrompt(db, params, body)) }),
    answers: { status: 200, body: Prompt },
    fails: [409],
    handle: ({ db, by, params, body, nowMs }) => updatePrompt(db, by, params, body, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: promptPath,
    name: 'deletePrompt',
    tag: 'Prompts',
    summary: 'Delete a prompt with all its versions',
    description: 'Agents lose the reference to it.',
    access: usersAndKeys('CAN_DELETE_PROMPT'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deletePrompt(db, by, params, nowMs),
  });
}

function promptVersions(api: Api, root: Queryable, computing: PromptComputing): void {
  api.route({
    method: 'POST',
    path: `${promptPath}/versions`,
    name: 'createPromptVersion',
    tag: 'Prompts',
    summary: 'Add a version',
    description: 'It becomes `latest`; with `production: true` the flag moves to it.',
    access: usersAndKeys('CAN_CREATE_PROMPT'),
    body: NewPromptVersion,
    stores: 'text',
    answers: { status: 201, body: PromptVersion },
    // Before the write: with an Idempotency-Key the whole of `handle` is inside a transaction.
    prepare: async ({ body }) => (await computing.variables([body]))[0] ?? [],
    handle: async ({ db, by, params, body, prepared, nowMs }) => ({
      ...(await createPromptVersion(db, by, params, body, nowMs)),
      variables: prepared,
    }),
  });
  api.route({
    method: 'GET',
    path: `${promptPath}/versions`,
    name: 'listPromptVersions',
    tag: 'Prompts',
    summary: 'List the versions of a prompt',
    description: 'Highest number first.',
    access: usersAndKeys('CAN_GET_PROMPT'),
    query: Page,
    answers: { status: 200, body: PromptVersions },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listPromptVersions(db, params, query);
      const variables = await computing.variables(rows);
      return { versions: rows.map((version, index) => ({ ...version, variables: variables[index] ?? [] })), _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: versionPath,
    name: 'getPromptVersion',
    tag: 'Prompts',
    summary: 'Read a version',
    access: usersAndKeys('CAN_GET_PROMPT'),
    answers: { status: 200, body: PromptVersion },
    handle: async ({ db, params }) => withVariables(computing, await requirePromptVersion(db, params)),
  });
  api.route({
    method: 'PUT',
    path: versionPath,
    name: 'updatePromptVersion',
    tag: 'Prompts',
    summary: 'Change a version',
    description:
      '`production: true` moves the flag here, `false` takes it away. An archived version is never `latest` while another is active.',
    access: usersAndKeys('CAN_UPDATE_PROMPT'),
    body: PromptVersionChanges,
    stores: async ({ db, params, body }) => ({ bytes: -(await measurePromptVersion(db, params, body)) }),
    answers: { status: 200, body: PromptVersion },
    // Before the write: a change that was carried out is not to be answered with a failure.
    prepare: async ({ params, body }) => {
      const before = await findPromptVersion(root, params);
      const template = before && { type: body.type ?? before.type, content: body.content ?? before.content };
      return template && { template, variables: (await computing.variables([template]))[0] ?? [] };
    },
    handle: async ({ db, by, params, body, prepared, nowMs }) => {
      const version = await updatePromptVersion(db, by, params, body, nowMs);
      const isAsPrepared = version.content === prepared?.template.content && version.type === prepared.template.type;
      return isAsPrepared ? { ...version, variables: prepared.variables } : withVariables(computing, version);
    },
  });
  api.route({
    method: 'DELETE',
    path: versionPath,
    name: 'deletePromptVersion',
    tag: 'Prompts',
    summary: 'Delete a version',
    description: 'Its number is never used again. Deleting the last version deletes the prompt.',
    access: usersAndKeys('CAN_DELETE_PROMPT'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deletePromptVersion(db, by, params, nowMs),
  });
  api.route({
    method: 'GET',
    path: `${versionPath}/diff/:otherVersionId`,
    resources: { otherVersionId: 'Prompt version' },
    name: 'diffPromptVersions',
    isExpensive: true,
    tag: 'Prompts',
    summary: 'Compare two versions',
    description:
      'From the first to the second: the content as a unified diff and line by line, and the other fields that differ. Beyond 1,000 lines removed and added, the whole content counts as removed and as added.',
    access: usersAndKeys('CAN_GET_PROMPT'),
    answers: { status: 200, body: PromptDiff },
    handle: async ({ db, params }) => {
      const from = await requirePromptVersion(db, params);
      const to = await requirePromptVersion(db, { ...params, promptVersionId: params.otherVersionId });
      const named = (version: ReadVersion) => ({ name: `${version.handle} v${version.version}`, content: version.content });
      const compared = ['type', 'config', 'meta', 'commitMessage', 'status', 'production', 'labels'] as const;
      return {
        from: { id: from.id, version: from.version, commitHash: from.commitHash },
        to: { id: to.id, version: to.version, commitHash: to.commitHash },
        ...(await computing.diff(named(from), named(to))),
        fields: compared
          .filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]))
          .map((field) => ({ field, from: from[field], to: to[field] })),
      };
    },
  });
}

function promptsByName(api: Api, computing: PromptComputing): void {
  api.route({
    method: 'GET',
    path: `${workspacePath}/promptsByName/:promptName`,
    resources: { promptName: 'Prompt' },
    name: 'getPromptByName',
    tag: 'Prompts',
    summary: 'Read a version of a prompt by its handle or name',
    description: 'A client that sends back the `ETag` pays a 304 while the version stays the one it has.',
    access: usersAndKeys('CAN_GET_PROMPT'),
    query: VersionQuery,
    answers: { status: 200, body: PromptVersion },
    handle: async ({ db, params, query }) => {
      const version = await requireNamedVersion(db, params.workspaceId, params.promptName, versionSelectorOf(query.version));
      return withVariables(computing, version);
    },
  });
  api.route({
    method: 'POST',
    path: `${workspacePath}/promptsByName/:promptName/render`,
    resources: { promptName: 'Prompt' },
    name: 'renderPrompt',
    tag: 'Prompts',
    summary: 'Fill in a prompt',
    description:
      'Every variable needs a value and every value a variable. A chat prompt must be a JSON array of `{role, content}`. The result has at most 1,000,000 characters.',
    access: usersAndKeys('CAN_GET_PROMPT'),
    query: VersionQuery,
    body: PromptValues,
    changesNothing: true,
    answers: { status: 200, body: RenderedPrompt },
    handle: async ({ db, params, query, body }) => {
      const version = await requireNamedVersion(db, params.workspaceId, params.promptName, versionSelectorOf(query.version));
      return renderVersion(computing, version, body.variables);
    },
  });
}
