/** The workspace that is taken out or brought in, in a running service. */
import { Commonplace } from '@commonplace/client';
import { type Arguments, textOf, UsageError } from '../command.ts';
import { readServiceUrl, requireServiceUrl } from '../service-url.ts';

export function openWorkspace(given: Arguments) {
  const { COMMONPLACE_API_KEY: apiKey, COMMONPLACE_WORKSPACE_ID: ownWorkspaceId } = process.env;
  const workspaceId = textOf(given, 'workspace') ?? ownWorkspaceId;
  if (!apiKey) throw new UsageError('COMMONPLACE_API_KEY must hold the API key of an owner or admin of the workspace');
  if (!workspaceId) throw new UsageError('Which workspace? Give --workspace, or set COMMONPLACE_WORKSPACE_ID');
  const baseUrl = readServiceUrl(textOf(given, 'url')) ?? requireServiceUrl();
  return new Commonplace({ baseUrl, apiKey }).workspace(workspaceId);
}
