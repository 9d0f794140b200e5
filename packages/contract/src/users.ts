import { z } from 'zod';
import { AccessKey } from './access-keys.ts';
import { ApiKey } from './api-keys.ts';
import { Email, Id, text } from './wire.ts';

export const User = z
  .object({
    id: Id,
    email: z.string(),
    name: z.string(),
    role: z.enum(['admin', 'user']).describe('`admin` is whoever set the service up.'),
  })
  .meta({ id: 'User', examples: [{ id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c10', email: 'ada@example.com', name: 'Ada', role: 'admin' }] });
export type User = z.infer<typeof User>;

export const SignedIn = z.object({ user: User }).meta({ id: 'SignedIn' });

const Name = text({ min: 1, max: 100, trim: true });
export const Password = text({ min: 10, max: 200 }).meta({ format: 'password', examples: ['a long and unusual phrase'] });

export const Setup = z
  .object({ email: Email, name: Name, password: Password })
  .meta({ id: 'Setup', examples: [{ email: 'ada@example.com', name: 'Ada', password: 'a long and unusual phrase' }] });
export type Setup = z.infer<typeof Setup>;

export const Registration = Setup.extend({ inviteToken: text({ max: 200 }).nullish() }).meta({
  id: 'Registration',
  examples: [{ email: 'grace@example.com', name: 'Grace', password: 'a long and unusual phrase' }],
});
export type Registration = z.infer<typeof Registration>;

export const Login = z
  .object({ email: Email, password: text({ min: 1, max: 1000 }), rememberMe: z.boolean().nullish() })
  .meta({ id: 'Login', examples: [{ email: 'ada@example.com', password: 'a long and unusual phrase' }] });
export type Login = z.infer<typeof Login>;

export const PasswordChange = z
  .object({ currentPassword: text({ min: 1, max: 1000 }), newPassword: Password })
  .meta({ id: 'PasswordChange', examples: [{ currentPassword: 'a long and unusual phrase', newPassword: 'another long phrase' }] });
export type PasswordChange = z.infer<typeof PasswordChange>;

export const UserChanges = z
  .object({ name: Name.optional(), email: Email.optional() })
  .meta({ id: 'UserChanges', examples: [{ name: 'Ada Lovelace' }] });
export type UserChanges = z.infer<typeof UserChanges>;

export const AuthStatus = z.object({ needsSetup: z.boolean(), registration: z.enum(['open', 'invite']) }).meta({ id: 'AuthStatus' });
export type AuthStatus = z.infer<typeof AuthStatus>;

export const Me = z
  .object({
    principalType: z.enum(['ACCESS_KEY', 'API_KEY', 'USER']),
    owner: User.optional().describe('For API_KEY and USER.'),
    apiKey: ApiKey.optional().describe('For API_KEY.'),
    accessKey: AccessKey.optional().describe('For ACCESS_KEY.'),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;
