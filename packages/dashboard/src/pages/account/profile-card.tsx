import type { User } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { fieldErrors, isStatus } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Card } from '../../design/page.tsx';
import { showToast } from '../../design/toast.tsx';

export function ProfileCard({ user }: { readonly user: User }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email);
  const save = useMutation({
    mutationFn: () => client.me.update({ name: name.trim(), email: email.trim() }),
    onSuccess: async (me) => {
      queryClient.setQueryData(meQuery.queryKey, me);
      setName(me.owner?.name ?? name);
      setEmail(me.owner?.email ?? email);
      // Lists of members show it too.
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === 'members' });
      showToast('Your profile is saved');
    },
  });
  const errors = fieldErrors(save.error);
  const emailError = errors.email ?? (isStatus(save.error, 409) ? save.error?.message : undefined);
  return (
    <Card title="Profile">
      <Form
        className="stack"
        onSubmit={() => {
          save.mutate();
        }}
      >
        <div className="fields">
          <TextField
            label="Name"
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={errors.name}
            maxLength={100}
            dir="auto"
            required
          />
          <TextField
            label="E-mail"
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            error={emailError}
            help="You sign in with it."
            required
          />
        </div>
        {save.error && !emailError && !errors.name && <ErrorNotice error={save.error} />}
        <div>
          <Button
            type="submit"
            variant="primary"
            busy={save.isPending && 'Saving'}
            disabled={name.trim() === user.name && email.trim() === user.email}
          >
            Save profile
          </Button>
        </div>
      </Form>
    </Card>
  );
}
