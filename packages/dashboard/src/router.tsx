/** Every page and its address. Pages are loaded when they are first needed, or pointed at. */

import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { anotherPerson } from './api/person.ts';
import { authStatusQuery, meQuery, workspaceQuery, workspacesQuery } from './api/queries.ts';
import { queryClient, signedOut } from './api/query-client.ts';
import { isStatus } from './api/refusals.ts';
import { sendPendingDeletes } from './api/undoable.ts';
import { readAccountSearch } from './pages/account/search-params.ts';
import { readAgentSearch } from './pages/agent/search-params.ts';
import { readAgentsSearch } from './pages/agents/search-params.ts';
import { readAuditSearch } from './pages/audit/search-params.ts';
import { readContextSearch } from './pages/context/search-params.ts';
import { readDocsSearch } from './pages/docs/search-params.ts';
import { readDocumentSearch } from './pages/document/search-params.ts';
import { readKeysSearch } from './pages/keys/search-params.ts';
import { readKnowledgeSearch } from './pages/knowledge/search-params.ts';
import { readMembersSearch } from './pages/members/search-params.ts';
import { readOverviewSearch } from './pages/overview/search-params.ts';
import { readPromptSearch } from './pages/prompt/search-params.ts';
import { readPromptsSearch } from './pages/prompts/search-params.ts';
import { readSearchPageParams } from './pages/search/search-params.ts';
import { readSessionSearch } from './pages/session/search-params.ts';
import { readSessionsSearch } from './pages/sessions/search-params.ts';
import { readSettingsSearch } from './pages/settings/search-params.ts';
import { readStartSearch } from './pages/start/search-params.ts';
import { readWorkSearch } from './pages/work/search-params.ts';
import { flagParam, isOwnPath, params, type RawSearch, textParam } from './search-params.ts';
import { AppFrame } from './shell/app-frame.tsx';
import { rememberedWorkspace } from './shell/last-workspace.ts';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { PageFailure } from './shell/page-failure.tsx';
import { Shell } from './shell/shell.tsx';
import { changePerson } from './shell/sign-out.ts';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: AppFrame, notFoundComponent: NotFoundPage });

const readNext = (search: RawSearch) => {
  const next = textParam(search, 'next');
  return params({ next: next !== undefined && isOwnPath(next) ? next : undefined });
};

/** Beside the page's own file, so that what the page says of accounts is right when it is first shown, and nothing moves. */
const loadAuthStatus = () => queryClient.prefetchQuery(authStatusQuery);

async function requireSignIn({ location }: { location: { href: string } }): Promise<void> {
  try {
    await queryClient.ensureQueryData(meQuery);
  } catch (error) {
    if (!isStatus(error, 401)) throw error;
    const { needsSetup } = await queryClient.fetchQuery(authStatusQuery);
    throw needsSetup ? redirect({ to: '/set-up' }) : redirect({ to: '/sign-in', search: { next: location.href } });
  }
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async (options) => {
    await requireSignIn({ location: { ...options.location, href: '/' } });
    const workspaces = await queryClient.fetchQuery(workspacesQuery);
    const last = workspaces.find(({ id }) => id === rememberedWorkspace()) ?? workspaces[0];
    throw last ? redirect({ to: '/w/$workspaceId', params: { workspaceId: last.id } }) : redirect({ to: '/set-up' });
  },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search) => ({ ...readNext(search), ...params({ deleted: flagParam(search, 'deleted') }) }),
  loader: loadAuthStatus,
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  validateSearch: (search) => ({ ...readNext(search), ...params({ invite: textParam(search, 'invite') }) }),
  loader: loadAuthStatus,
  component: lazyRouteComponent(() => import('./pages/sign-in/register-page.tsx'), 'RegisterPage'),
});

const setUp = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: lazyRouteComponent(() => import('./pages/set-up/set-up-page.tsx'), 'SetUpPage'),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invites/$token',
  component: lazyRouteComponent(() => import('./pages/sign-in/invite-page.tsx'), 'InvitePage'),
});

const docs = createRoute({
  getParentRoute: () => root,
  path: '/docs',
  validateSearch: readDocsSearch,
  component: lazyRouteComponent(() => import('./pages/docs/docs-page.tsx'), 'DocsPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSignIn,
  component: Shell,
  errorComponent: PageFailure,
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  validateSearch: readAccountSearch,
  component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
});

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: '/w/$workspaceId',
  loader: ({ params: { workspaceId } }) => queryClient.ensureQueryData(workspaceQuery(workspaceId)),
  errorComponent: PageFailure,
});

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  validateSearch: readOverviewSearch,
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const start = createRoute({
  getParentRoute: () => workspace,
  path: '/start',
  validateSearch: readStartSearch,
  component: lazyRouteComponent(() => import('./pages/start/start-page.tsx'), 'StartPage'),
});

const agents = createRoute({
  getParentRoute: () => workspace,
  path: '/agents',
  validateSearch: readAgentsSearch,
  component: lazyRouteComponent(() => import('./pages/agents/agents-page.tsx'), 'AgentsPage'),
});

const agent = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$agentId',
  validateSearch: readAgentSearch,
  component: lazyRouteComponent(() => import('./pages/agent/agent-page.tsx'), 'AgentPage'),
});

const sessions = createRoute({
  getParentRoute: () => workspace,
  path: '/sessions',
  validateSearch: readSessionsSearch,
  component: lazyRouteComponent(() => import('./pages/sessions/sessions-page.tsx'), 'SessionsPage'),
});

const session = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$agentId/sessions/$sessionId',
  validateSearch: readSessionSearch,
  component: lazyRouteComponent(() => import('./pages/session/session-page.tsx'), 'SessionPage'),
});

const prompts = createRoute({
  getParentRoute: () => workspace,
  path: '/prompts',
  validateSearch: readPromptsSearch,
  component: lazyRouteComponent(() => import('./pages/prompts/prompts-page.tsx'), 'PromptsPage'),
});

const prompt = createRoute({
  getParentRoute: () => workspace,
  path: '/prompts/$promptId',
  validateSearch: readPromptSearch,
  component: lazyRouteComponent(() => import('./pages/prompt/prompt-page.tsx'), 'PromptPage'),
});

const knowledge = createRoute({
  getParentRoute: () => workspace,
  path: '/knowledge',
  validateSearch: readKnowledgeSearch,
  component: lazyRouteComponent(() => import('./pages/knowledge/knowledge-page.tsx'), 'KnowledgePage'),
});

const document = createRoute({
  getParentRoute: () => workspace,
  path: '/knowledge/$documentId',
  validateSearch: readDocumentSearch,
  component: lazyRouteComponent(() => import('./pages/document/document-page.tsx'), 'DocumentPage'),
});

const context = createRoute({
  getParentRoute: () => workspace,
  path: '/context',
  validateSearch: readContextSearch,
  component: lazyRouteComponent(() => import('./pages/context/context-page.tsx'), 'ContextPage'),
});

const search = createRoute({
  getParentRoute: () => workspace,
  path: '/search',
  validateSearch: readSearchPageParams,
  component: lazyRouteComponent(() => import('./pages/search/search-page.tsx'), 'SearchPage'),
});

const work = createRoute({
  getParentRoute: () => workspace,
  path: '/work',
  validateSearch: readWorkSearch,
  component: lazyRouteComponent(() => import('./pages/work/work-page.tsx'), 'WorkPage'),
});

const members = createRoute({
  getParentRoute: () => workspace,
  path: '/members',
  validateSearch: readMembersSearch,
  component: lazyRouteComponent(() => import('./pages/members/members-page.tsx'), 'MembersPage'),
});

const keys = createRoute({
  getParentRoute: () => workspace,
  path: '/keys',
  validateSearch: readKeysSearch,
  component: lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
});

const audit = createRoute({
  getParentRoute: () => workspace,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const inWorkspace = [
  ...([overview, start, agents, agent, sessions, session, prompts, prompt, knowledge, document] as const),
  ...([context, search, work, members, keys, audit, settings] as const),
] as const;

const routeTree = root.addChildren([
  home,
  signIn,
  register,
  setUp,
  invite,
  docs,
  signedIn.addChildren([account, workspace.addChildren(inWorkspace)]),
]);

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 150,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
  // What no page reads is not in its state either: else a page would get what its reader refused.
  search: { strict: true },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** A sign-in that ended while a page was open: to the form, and back to the same place. Drafts stay for whoever wrote them. */
signedOut.listener = () => {
  const { pathname, href } = router.state.location;
  if (!pathname.startsWith('/w/') && !pathname.startsWith('/account')) return;
  // They are refused, and say so: later they would be sent for whoever signs in next.
  void sendPendingDeletes();
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { next: href } });
};

/** What another person looked at is not for this one; the link of an invite is. */
anotherPerson.listener = () => {
  const { pathname, href } = router.latestLocation;
  changePerson(pathname.startsWith('/invites/') ? href : '/');
};
