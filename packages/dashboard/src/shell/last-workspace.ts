/** The workspace that was open last, so that the next visit begins there. An id, and nothing of what is in it. */
const STORED_AS = 'commonplace:workspace';

export function rememberWorkspace(workspaceId: string): void {
  try {
    localStorage.setItem(STORED_AS, workspaceId);
  } catch {
    // Storage may be forbidden; the first workspace it is.
  }
}

export function forgetWorkspace(): void {
  try {
    localStorage.removeItem(STORED_AS);
  } catch {
    // Where storage is forbidden, there is nothing in it.
  }
}

export function rememberedWorkspace(): string | undefined {
  try {
    return localStorage.getItem(STORED_AS) ?? undefined;
  } catch {
    return undefined;
  }
}
