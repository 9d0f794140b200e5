import type { PromptVersion } from '@commonplace/client';
import { getRouteApi } from '@tanstack/react-router';
import { Tabs } from '../../design/tabs.tsx';
import { params } from '../../search-params.ts';
import { PreviewTab } from './preview-tab.tsx';
import type { PromptTab } from './search-params.ts';
import type { Values } from './template.ts';
import { UseTab } from './use-tab.tsx';
import { VariablesTab } from './variables-tab.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/prompts/$promptId');

interface TryCardProps {
  readonly workspaceId: string;
  readonly version: PromptVersion;
  readonly content: string;
  readonly changed: boolean;
  readonly variables: readonly string[];
  readonly values: Values;
}

/** Values for its variables, what becomes of them, and how a program gets it. */
export function TryCard(props: TryCardProps) {
  const { workspaceId, version, variables, values } = props;
  const { tab = 'variables' } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (next: PromptTab) =>
    void navigate({
      search: (before) => params({ ...before, tab: next === 'variables' ? undefined : next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <section className="card try-card" aria-label="Try it">
      <Tabs
        label="Try it"
        className="in-box"
        value={tab}
        onChange={choose}
        items={[
          { value: 'variables', label: 'Variables', count: variables.length },
          { value: 'preview', label: 'Preview' },
          { value: 'use', label: 'Use it' },
        ]}
      >
        {(shown) => (
          <>
            {shown === 'variables' && <VariablesTab promptId={version.promptId} variables={variables} values={values} />}
            {shown === 'preview' && <PreviewTab {...props} />}
            {shown === 'use' && <UseTab workspaceId={workspaceId} handle={version.handle} type={version.type} variables={variables} />}
          </>
        )}
      </Tabs>
    </section>
  );
}
