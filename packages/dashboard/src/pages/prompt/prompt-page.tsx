import './prompt.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Skeleton } from '../../design/feedback.tsx';
import { Page } from '../../design/page.tsx';
import { nameCrumb } from '../../shell/crumbs.tsx';
import { PageFailure } from '../../shell/page-failure.tsx';
import { PromptWorkbench } from './prompt-workbench.tsx';
import { promptQuery } from './queries.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/prompts/$promptId');

export function PromptPage() {
  const { workspaceId, promptId } = route.useParams();
  const { data: prompt, error, refetch } = useQuery(promptQuery(workspaceId, promptId));
  useEffect(() => {
    if (prompt) nameCrumb(prompt.promptId, prompt);
  }, [prompt]);
  if (prompt) return <PromptWorkbench key={prompt.promptId} workspaceId={workspaceId} prompt={prompt} />;
  if (error) return <PageFailure error={error} onRetry={() => void refetch()} />;
  return (
    <Page title="Prompt">
      <Skeleton lines={8} />
    </Page>
  );
}
