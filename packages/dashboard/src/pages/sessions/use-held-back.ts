import { useEffect, useRef, useState } from 'react';
import type { ListedSessions } from './sessions-queries.ts';

const SCROLLED_PX = 80;

/** How many rows are new on top, or moved there, since a page was shown. */
export function countNewRows(shown: ListedSessions, next: ListedSessions): number {
  const before = new Map(shown.sessions.map(({ id, lastActivityAt }) => [id, lastActivityAt]));
  return next.sessions.filter(({ id, lastActivityAt }) => (before.get(id) ?? '') < lastActivityAt).length;
}

/** Nothing moves under the pointer: while the list is scrolled, new rows wait until they are asked for. */
export function useHeldBack(latest: ListedSessions | undefined, question: string) {
  const [held, setHeld] = useState<ListedSessions>();
  const asked = useRef(question);
  useEffect(() => {
    if (!latest) return;
    const other = asked.current !== question;
    asked.current = question;
    setHeld((shown) => {
      const scrolled = window.scrollY > SCROLLED_PX;
      if (other || !shown || !scrolled || countNewRows(shown, latest) === 0) return latest;
      // What is shown keeps its order, and takes on what changed in it.
      const byId = new Map(latest.sessions.map((session) => [session.id, session]));
      return { ...shown, sessions: shown.sessions.map((session) => withOrder(byId.get(session.id), session)) };
    });
  }, [latest, question]);
  const page = held ?? latest;
  const waiting = page && latest && held ? countNewRows(page, latest) : 0;
  return {
    page,
    waiting,
    show: () => {
      setHeld(latest);
      window.scrollTo({ top: 0 });
    },
  };
}

/** A row that became active again is new on top; its time here tells that it was not shown there yet. */
function withOrder<Row extends { readonly lastActivityAt: string }>(latest: Row | undefined, shown: Row): Row {
  return latest ? { ...latest, lastActivityAt: shown.lastActivityAt } : shown;
}
