/** Whose tab this is. A sign-in that ended may be followed by that of another person, here or in another tab. */

/** For this tab, and over a reload. Signing out forgets it. */
const STORED_AS = 'commonplace:person';

/** Told when somebody else is signed in than before; set by the router, which knows how to begin anew. */
export const anotherPerson = { listener: () => {} };

/** True where the tab is somebody else's from now on: nothing of what it holds may be shown to them. */
export function isAnotherPerson(userId: string): boolean {
  try {
    const before = sessionStorage.getItem(STORED_AS);
    sessionStorage.setItem(STORED_AS, userId);
    return before !== null && before !== userId;
  } catch {
    // Storage may be forbidden.
    const before = inMemory;
    inMemory = userId;
    return before !== undefined && before !== userId;
  }
}

let inMemory: string | undefined;
