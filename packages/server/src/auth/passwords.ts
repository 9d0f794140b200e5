/** Passwords: argon2id, at most two at a time, off the event loop. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

async function derived(password: string, salt: Buffer, cost: { memory: number; passes: number; parallelism: number; tagLength: number }) {
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  else running++;
  try {
    return await derive('argon2id', { message: password.normalize('NFKC'), nonce: salt, ...cost });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** In PHC form, so that the cost can be raised later without losing old hashes. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derived(password, salt, COST);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** As slow for an account that is missing or has no password as for a wrong one. */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const parts = stored ? PHC.exec(stored) : null;
  if (!parts) {
    await derived(password, Buffer.alloc(16), COST);
    return false;
  }
  const expected = Buffer.from(parts[5] as string, 'base64');
  const tag = await derived(password, Buffer.from(parts[4] as string, 'base64'), {
    memory: Number(parts[1]),
    passes: Number(parts[2]),
    parallelism: Number(parts[3]),
    tagLength: expected.length,
  });
  return timingSafeEqual(tag, expected);
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** The head of the lists that leak, as far as ten characters or more; the short ones fail on their length. */
const commonest = new Set(
  `1234567890 0123456789 12345678910 1234567891 123456789a 1q2w3e4r5t 1qaz2wsx3edc q1w2e3r4t5 qwertyuiop qwerty12345 qwerty123456
  password12 password123 password1234 password12345 passw0rd123 passwordpassword mypassword1 iloveyou12 iloveyou123 iloveyou1234
  administrator admin12345 admin123456 adminadmin welcome123 welcome1234 letmein123 letmein1234 changeme123 changeme1234 changemenow
  abcdefghij abcdefghijk abc1234567 abc123456789 abcd123456 a123456789 aa12345678 aa123456789 qazwsxedcrfv zaq12wsxcde asdfghjkl1
  asdfghjkl123 zxcvbnm123 1111111111 11111111111 0000000000 00000000000 2222222222 5555555555 6666666666 7777777777 8888888888
  9999999999 9876543210 0987654321 1029384756 1122334455 1231231231 123123123123 1212121212 1234554321 147258369 1472583690 princess123
  sunshine123 football123 baseball123 superman123 monkey12345 dragon12345 michael123 jennifer123 charlie123 starwars123 trustno1234
  correcthorsebatterystaple testtest123 test123456 test1234567 testpassword secret12345 secretpassword hello12345 helloworld1`.split(/\s+/),
);

export function isCommonPassword(password: string): boolean {
  // As it is hashed: full-width letters, for one, are the plain ones by then.
  const folded = password.normalize('NFKC').toLowerCase();
  return commonest.has(folded) || /^(.)\1+$/u.test(folded);
}
