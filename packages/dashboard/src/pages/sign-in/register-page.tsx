import { SignFrame } from './sign-frame.tsx';

export function RegisterPage() {
  return (
    <SignFrame title="RegisterPage" lede="">
      Not there yet.
    </SignFrame>
  );
}
