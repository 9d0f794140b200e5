import type { Agent, PromptVersion } from '@commonplace/client';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { KeyValues } from '../../design/code.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { plural } from '../../design/numbers.ts';
import { showToast } from '../../design/toast.tsx';
import { readable } from './chat.ts';
import { countLines, describeSame, diffTexts, rowsOf } from './diff.ts';
import { refreshPrompts } from './queries.ts';
import { nameAgents } from './used-by-card.tsx';

interface PromoteDialogProps {
  readonly workspaceId: string;
  readonly version: PromptVersion;
  /** What is in production now, where something is. */
  readonly production: PromptVersion | undefined;
  readonly agents: readonly Agent[];
  readonly onClose: () => void;
}

/** Going back is promoting an older one. */
export const promoteLabel = (version: PromptVersion, productionNumber: number | null): string =>
  productionNumber !== null && version.version < productionNumber ? `Roll back to v${version.version}` : `Promote v${version.version}`;

export function PromoteDialog({ workspaceId, version, production, agents, onClose }: PromoteDialogProps) {
  const queryClient = useQueryClient();
  const { versions } = client.workspace(workspaceId).prompts;
  const set = async (target: PromptVersion) => {
    await versions.update(target.promptId, target.id, { production: true });
    await refreshPrompts(queryClient, workspaceId);
  };
  const promote = async () => {
    await set(version);
    showToast(`v${version.version} is in production`, production && { note: `Undo by promoting v${production.version}.` });
  };
  const action = promoteLabel(version, production?.version ?? null);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      danger={false}
      title={action.startsWith('Roll') ? `${action}?` : `${action} to production?`}
      action={action}
      busyLabel="Promoting"
      onConfirm={promote}
    >
      <div className="stack">
        <p>
          Whoever asks for <code>production</code> gets v{version.version}
          {production ? ` instead of v${production.version}` : ''} from the next request on. Versions keep their numbers
          {production ? `, so you can promote v${production.version} again at any time` : ''}.
        </p>
        <KeyValues
          items={[
            ['Used by', agents.length === 0 ? 'No agent' : nameAgents(agents)],
            ...(production ? [['Changes', describeChanges(production, version)] as const] : []),
          ]}
        />
      </div>
    </ConfirmDialog>
  );
}

function describeChanges(from: PromptVersion, to: PromptVersion): string {
  const [before, after] = [readable(from.type, from.content), readable(to.type, to.content)];
  const { added, removed } = countLines(rowsOf(diffTexts(before, after)));
  const lines = added + removed === 0 ? describeSame(before, after) : `${plural(added, 'line')} added, ${plural(removed, 'line')} removed.`;
  const newNames = to.variables.filter((name) => !from.variables.includes(name));
  const oldNames = from.variables.filter((name) => !to.variables.includes(name));
  const variables = [
    newNames.length > 0 && `New variables: ${newNames.slice(0, 10).join(', ')}.`,
    oldNames.length > 0 && `No longer used: ${oldNames.slice(0, 10).join(', ')}.`,
  ].filter(Boolean);
  return [lines, ...variables].join(' ');
}
