/** What the log of a workspace tells of. Others that are in it can be asked for by the address. */
export const workspaceActions = [
  ...(['workspace.create', 'workspace.update'] as const),
  ...(['invite.create', 'invite.accept', 'invite.reject', 'invite.delete', 'member.update', 'member.remove'] as const),
  ...(['access_key.create', 'access_key.delete'] as const),
  ...(['agent.create', 'agent.update', 'agent.delete', 'session.delete'] as const),
  ...(['prompt.create', 'prompt.update', 'prompt.delete'] as const),
  ...(['prompt_version.create', 'prompt_version.update', 'prompt_version.delete'] as const),
  ...(['document.create', 'document.update', 'document.replace', 'document.reindex', 'document.delete'] as const),
] as const;
