import { SignFrame } from './sign-frame.tsx';

export function InvitePage() {
  return (
    <SignFrame title="InvitePage" lede="">
      Not there yet.
    </SignFrame>
  );
}
