import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';

/** The first account, which administers the service. */
export function AccountStep() {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const setUp = useMutation({
    mutationFn: () => client.auth.setUp({ name: name.trim(), email: email.trim(), password }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const errors = fieldErrors(setUp.error);
  const isPlaced = errors.name || errors.email || errors.password;
  return (
    <Form
      className="stack step-form"
      onSubmit={() => {
        setUp.mutate();
      }}
    >
      <p className="soft">This is the first account of this service. Whoever makes it administers the service and invites the others.</p>
      <TextField label="Name" autoComplete="name" value={name} onChange={(event) => setName(event.target.value)} error={errors.name} />
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={errors.email}
        help="You sign in with it. Nothing is sent to it."
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={errors.password}
        help="At least 10 characters."
      />
      {setUp.error && !isPlaced && <ErrorNotice error={setUp.error} />}
      <div>
        <Button type="submit" variant="primary" busy={setUp.isPending && 'Creating'}>
          Create account
        </Button>
      </div>
    </Form>
  );
}
