/** For tests that kill nodes on PostgreSQL: the time that has to pass before others take up what they had begun. */
import pg from 'pg';

export async function letLeasesRunOut(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // The servers of tests make no statistics by themselves.
    await client.query('analyze');
    await client.query(`update jobs set run_at = least(run_at, now()), lease_until = least(lease_until, now() - interval '1 hour')`);
  } finally {
    await client.end();
  }
}
