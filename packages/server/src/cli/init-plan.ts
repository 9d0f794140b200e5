/** What `init` is asked for, and what came of it. */

/** Of each there is one afterwards, however often the command runs; only the access key is always new. */
export interface InitRequest {
  /** Of the account; absent, whoever there is. */
  readonly email: string | undefined;
  /** For an account that is made now. */
  readonly password: string;
  readonly workspaceName: string;
  readonly agentName: string;
  /** Called once an account was made, before anything else can fail: its password is nowhere else. `place` is what it administers. */
  announce(account: NewAccount, place: string): void;
}

export interface NewAccount {
  readonly email: string;
  readonly password: string;
}

export interface InitResult {
  readonly workspace: InitItem;
  readonly agent: InitItem;
  readonly accessKey: string;
}

export interface InitItem {
  readonly id: string;
  readonly name: string;
  readonly isNew: boolean;
}

export const DEFAULT_EMAIL = 'admin@localhost';
export const ACCOUNT_NAME = 'Administrator';
export const KEY_NAME = 'Made by init';
