import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { fieldErrors, isStatus } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Card } from '../../design/page.tsx';
import { showToast } from '../../design/toast.tsx';

export function PasswordCard({ email }: { readonly email: string }) {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useMutation({
    mutationFn: () => client.auth.changePassword({ currentPassword, newPassword }),
    onSuccess: () => {
      setCurrent('');
      setNew('');
      showToast('Your password is changed', { note: 'Every other browser is signed out.' });
    },
  });
  const errors = fieldErrors(change.error);
  // A refusal says that the current one is wrong.
  const currentError = errors.currentPassword ?? (isStatus(change.error, 403) ? change.error?.message : undefined);
  return (
    <Card title="Password" lede="Changing it signs out every other browser. API keys keep working.">
      <Form
        className="stack"
        onSubmit={() => {
          change.mutate();
        }}
      >
        {/* For password managers: whose password it is. */}
        <input hidden type="text" name="username" autoComplete="username" value={email} readOnly />
        <div className="fields">
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={currentPassword}
            onChange={(event) => setCurrent(event.target.value)}
            error={currentError}
            required
          />
          <TextField
            label="New password"
            type="password"
            autoComplete="new-password"
            value={newPassword}
            onChange={(event) => setNew(event.target.value)}
            error={errors.newPassword}
            help="At least 10 characters."
            minLength={10}
            maxLength={200}
            required
          />
        </div>
        {change.error && !currentError && !errors.newPassword && <ErrorNotice error={change.error} />}
        <div>
          <Button type="submit" busy={change.isPending && 'Changing'}>
            Change password
          </Button>
        </div>
      </Form>
    </Card>
  );
}
