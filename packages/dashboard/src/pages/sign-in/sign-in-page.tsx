import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { authStatusQuery } from '../../api/queries.ts';
import { isStatus } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { SignFrame } from './sign-frame.tsx';
import { useEnter } from './use-enter.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next, deleted } = route.useSearch();
  const { data: status } = useQuery(authStatusQuery);
  const enter = useEnter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [rememberMe, setRememberMe] = useState(true);
  const signIn = useMutation({
    mutationFn: () => client.auth.logIn({ email, password, rememberMe }),
    onSuccess: () => enter(next ?? '/'),
  });
  return (
    <SignFrame title="Sign in" lede={`to ${window.location.host}`}>
      <Form
        className="stack"
        onSubmit={() => {
          signIn.mutate();
        }}
      >
        {deleted && <p role="status">Your account is deleted.</p>}
        {signIn.error && <ErrorNotice error={signIn.error} {...(isStatus(signIn.error, 401) && { advice: 'Check both and try again.' })} />}
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          required
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          required
        />
        <Checkbox label="Stay signed in for 30 days" checked={rememberMe} onChange={(event) => setRememberMe(event.target.checked)} />
        <Button type="submit" variant="primary" block busy={signIn.isPending && 'Signing in'}>
          Sign in
        </Button>
      </Form>
      <p className="sign-note">
        {status?.registration === 'open' ? (
          <>
            No account? <Link to="/register">Make one</Link>.
          </>
        ) : (
          'No account? Ask an owner of your workspace for an invite.'
        )}{' '}
        Forgot your password? Whoever runs this service can set a new one from the command line.
      </p>
    </SignFrame>
  );
}
