import type { Me } from '@commonplace/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { isStatus } from '../../api/refusals.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Skeleton } from '../../design/feedback.tsx';
import { leave } from '../../shell/sign-out.ts';
import { roleNames } from '../../shell/workspace-switcher.tsx';
import { SignFrame } from './sign-frame.tsx';
import { useEnter } from './use-enter.ts';

const route = getRouteApi('/invites/$token');

/** Where the link of an invite leads. The service says nothing of an invite to whoever is not signed in. */
export function InvitePage() {
  const me = useQuery(meQuery);
  return (
    <SignFrame title="You are invited" lede={`to a workspace on ${window.location.host}`}>
      {me.data ? (
        <Answer me={me.data} />
      ) : isStatus(me.error, 401) ? (
        <Doors />
      ) : me.error ? (
        <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />
      ) : (
        <Skeleton />
      )}
    </SignFrame>
  );
}

function Doors() {
  const { token } = route.useParams();
  return (
    <div className="stack">
      <Link to="/register" search={{ invite: token }} className={buttonClass({ variant: 'primary', block: true })}>
        Make an account
      </Link>
      <Link to="/sign-in" search={{ next: `/invites/${token}` }} className={buttonClass({ block: true })}>
        I have an account
      </Link>
      <p className="sign-note">The invite is for one e-mail address: use that one.</p>
    </div>
  );
}

function Answer({ me }: { readonly me: Me }) {
  const { token } = route.useParams();
  const enter = useEnter();
  // The link names no workspace. Where one invite waits, it is this one.
  const { data: waiting } = useQuery({
    queryKey: ['own-invites', 'waiting'],
    queryFn: ({ signal }) => client.me.invites.list({ limit: 2 }, { signal }),
  });
  const invite = waiting?.meta.total === 1 ? waiting.data[0] : undefined;
  const accept = useMutation({
    mutationFn: () => client.me.invites.accept(token),
    onSuccess: ({ workspaceId }) => enter(`/w/${workspaceId}`),
  });
  const reject = useMutation({ mutationFn: () => client.me.invites.reject(token) });
  const signOut = useMutation({
    mutationFn: () => leave({ to: `/sign-in?next=${encodeURIComponent(`/invites/${token}`)}` }),
  });
  if (reject.isSuccess) {
    return (
      <div className="stack">
        <p role="status">You declined the invite to {reject.data.workspaceName}.</p>
        <Link to="/" className={buttonClass({ block: true })}>
          Go to your workspace
        </Link>
      </div>
    );
  }
  const failure = accept.error ?? reject.error ?? signOut.error;
  return (
    <div className="stack">
      {failure && <ErrorNotice error={failure} />}
      {invite && (
        <p>
          <strong dir="auto">{invite.workspaceName}</strong>, as {roleNames[invite.role].toLowerCase()} member.
        </p>
      )}
      <Button variant="primary" block busy={accept.isPending && 'Joining'} onClick={() => accept.mutate()}>
        Accept invite
      </Button>
      <Button block busy={reject.isPending && 'Declining'} onClick={() => reject.mutate()}>
        Decline invite
      </Button>
      <p className="sign-note">
        You are signed in as {me.owner?.email}.{' '}
        <button type="button" className="link" onClick={() => signOut.mutate()}>
          Use another account
        </button>
      </p>
    </div>
  );
}
