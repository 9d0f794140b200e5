import { Link, useLocation } from '@tanstack/react-router';
import { Select, TextField } from '../../../design/field.tsx';
import type { Operation } from '../document.ts';
import { schemeNames } from '../who-may-call.tsx';
import { COOKIE } from './form-state.ts';
import type { TypedKeys } from './typed-keys.ts';

interface CallerProps {
  readonly operation: Operation;
  readonly caller: string;
  /** Undefined as long as it is not known. */
  readonly signedIn: boolean | undefined;
  /** Whether it was tried without one. */
  readonly isMissing: boolean;
  readonly typedKeys: TypedKeys;
  readonly onChange: (caller: string) => void;
}

export function Caller({ operation, caller, signedIn, isMissing, typedKeys, onChange }: CallerProps) {
  if (operation.schemes.length === 0) return <p className="help">Anyone may call this. Your sign-in is not sent along.</p>;
  const options = [COOKIE, 'AccessKey', 'ApiKey'].filter((name) => operation.schemes.includes(name));
  const takesKey = options.some((name) => name !== COOKIE);
  const whatToDo = takesKey ? 'Sign in, or choose a key' : 'Sign in first';
  return (
    <div className="fields">
      <Select
        label="Caller"
        value={caller}
        options={options.map((name) => ({ value: name, label: schemeNames[name] ?? name }))}
        onChange={(event) => onChange(event.target.value)}
        help={caller === COOKIE ? <SignedIn signedIn={signedIn} takesKey={takesKey} /> : undefined}
        error={caller === COOKIE && isMissing ? whatToDo : undefined}
      />
      {caller !== COOKIE && (
        <TextField
          label={schemeNames[caller] ?? caller}
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={typedKeys.of(caller)}
          onChange={(event) => typedKeys.set(caller, event.target.value)}
          help="Kept in the memory of this page only, and gone when you leave it."
        />
      )}
    </div>
  );
}

function SignedIn({ signedIn, takesKey }: { readonly signedIn: boolean | undefined; readonly takesKey: boolean }) {
  const { href } = useLocation();
  if (signedIn === undefined) return 'The sign-in of this browser.';
  if (signedIn) return 'You, as you are signed in here.';
  return (
    <>
      Nobody is signed in here.{' '}
      <Link to="/sign-in" search={{ next: href }}>
        Sign in
      </Link>
      {takesKey && ', or choose a key'}.
    </>
  );
}
