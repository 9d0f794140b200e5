import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { authStatusQuery } from '../../api/queries.ts';
import { fieldErrors, isStatus } from '../../api/refusals.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Loaded } from '../../design/feedback.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { SignFrame } from './sign-frame.tsx';
import { useEnter } from './use-enter.ts';

const route = getRouteApi('/register');

export function RegisterPage() {
  const { invite } = route.useSearch();
  const status = useQuery(authStatusQuery);
  const lede = invite ? 'With it you join the workspace that invited you.' : `on ${window.location.host}`;
  return (
    <SignFrame title="Make an account" lede={lede}>
      <Loaded query={status}>{({ registration }) => (registration === 'open' || invite ? <RegisterForm /> : <InviteNeeded />)}</Loaded>
    </SignFrame>
  );
}

function InviteNeeded() {
  return (
    <div className="stack">
      <p>Accounts are made by invite here. Ask an owner or admin of your workspace for a link, and open it.</p>
      <Link to="/sign-in" className={buttonClass({ variant: 'primary', block: true })}>
        Sign in
      </Link>
    </div>
  );
}

function RegisterForm() {
  const { invite, next } = route.useSearch();
  const enter = useEnter();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const register = useMutation({
    mutationFn: () => client.auth.register({ name: name.trim(), email: email.trim(), password, ...(invite && { inviteToken: invite }) }),
    onSuccess: () => enter(next ?? '/'),
  });
  const errors = fieldErrors(register.error);
  // An invite is for one address, and an address has one account: both are about this field.
  const aboutEmail = isStatus(register.error, 409) || (invite !== undefined && isStatus(register.error, 403));
  const emailError = errors.email ?? (aboutEmail ? register.error?.message : undefined);
  const elsewhere = register.error && !emailError && Object.keys(errors).length === 0;
  return (
    <>
      <Form
        className="stack"
        onSubmit={() => {
          register.mutate();
        }}
      >
        {elsewhere && <ErrorNotice error={register.error} />}
        <TextField
          label="Name"
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
          maxLength={100}
          required
        />
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          error={emailError}
          help={invite && 'The address that the invite is for.'}
          required
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={errors.password}
          help="At least 10 characters. A few unusual words are better than one clever one."
          minLength={10}
          maxLength={200}
          required
        />
        <Button type="submit" variant="primary" block busy={register.isPending && 'Making your account'}>
          Make account
        </Button>
      </Form>
      <p className="sign-note">
        Have an account?{' '}
        <Link to="/sign-in" search={invite ? { next: `/invites/${invite}` } : next ? { next } : {}}>
          Sign in
        </Link>
        .
      </p>
    </>
  );
}
