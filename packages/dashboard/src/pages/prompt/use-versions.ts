/** Which versions are there, which one is open, and what it is held against. */
import type { Prompt, PromptVersion } from '@commonplace/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { versionByNumberQuery, versionsQuery } from './queries.ts';
import { isLatest } from './version-badges.tsx';

export function useVersions(workspaceId: string, prompt: Prompt) {
  const list = useInfiniteQuery(versionsQuery(workspaceId, prompt.promptId));
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? [];
  return { list, versions, total: list.data?.pages[0]?.total ?? prompt.versionCount };
}

/** From the list, or asked for by its number. */
export function useVersion(workspaceId: string, prompt: Prompt, listed: readonly PromptVersion[] | undefined, number: number | undefined) {
  const known = listed?.find(({ version }) => version === number);
  const isWanted = number !== undefined && listed !== undefined && known === undefined;
  const asked = versionByNumberQuery(workspaceId, prompt, number ?? 0);
  const { data, error, isFetching } = useQuery({ ...asked, enabled: isWanted });
  return { version: known ?? (isWanted ? data : undefined), error: isWanted ? error : null, loading: isWanted && isFetching };
}

export const latestOf = (versions: readonly PromptVersion[]): PromptVersion | undefined => versions.find(isLatest) ?? versions[0];

/** Production, unless that is what is open as it was saved; then the one before it. */
export function baseNumber(
  prompt: Prompt,
  versions: readonly PromptVersion[],
  open: PromptVersion | undefined,
  changed: boolean,
): number | undefined {
  if (!open) return undefined;
  const { productionVersion } = prompt;
  if (productionVersion !== null && (changed || productionVersion !== open.version)) return productionVersion;
  const before = versions.find(({ version }) => version < open.version)?.version;
  return before ?? (changed ? open.version : undefined);
}
