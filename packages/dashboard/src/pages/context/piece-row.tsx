import type { ContextPiece, OmittedPiece } from '@commonplace/client';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useMemo, useState } from 'react';
import { memoryKinds } from '../../design/badge.tsx';
import { formatCount } from '../../design/numbers.ts';
import { plainText } from '../../design/plain-text.ts';
import { formatClock, formatDay } from '../../design/time.tsx';
import { lookOf, nameOf, reasons } from './parts.ts';

export interface PiecePlace {
  readonly workspaceId: string;
  readonly agentId: string;
  /** Of the agent's prompt. */
  readonly promptId: string | undefined;
  readonly promptName: string | undefined;
  /** By the id of the version. */
  readonly versionNumber: (versionId: string) => number | undefined;
}

const LONG_TEXT = 220;

interface PieceRowProps {
  readonly piece: ContextPiece | OmittedPiece;
  readonly place: PiecePlace;
  /** The tokens of the largest piece: how long the bars are. */
  readonly largest: number;
}

export function PieceRow({ piece, place, largest }: PieceRowProps) {
  const [open, setOpen] = useState(false);
  const { tokens, score } = piece;
  // To be skimmed: the messages, and what is copied, have every sign of it.
  const text = useMemo(() => plainText(piece.text).trim(), [piece.text]);
  const dense = text.replaceAll(/\n\s*\n/g, '\n');
  const isLong = text.length > LONG_TEXT || dense.split('\n', 3).length > 2;
  const omitted = 'reason' in piece ? piece : undefined;
  return (
    <li className="piece" data-out={omitted ? true : undefined}>
      <span className="type">
        <i className={`swatch ${lookOf(piece.type)}`} aria-hidden="true" />
        {nameOf(piece.type)}
      </span>
      <div className="piece-text">
        <div className="piece-title">
          <PieceLink piece={piece} place={place} />
        </div>
        <div className={open ? 'piece-words' : 'piece-words clamp-2'} dir="auto">
          {open ? text : dense}
        </div>
        {isLong && (
          <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Show less' : 'Show all'}
          </button>
        )}
        {omitted && <div className="piece-reason small">{reasons[omitted.reason]}</div>}
      </div>
      <div className="piece-tokens">
        <span>
          {tokens !== undefined && (
            <>
              <b>{formatCount(tokens)}</b> {tokens === 1 ? 'token' : 'tokens'}
            </>
          )}
          {tokens !== undefined && score !== undefined && ', '}
          {score !== undefined && `score ${score.toFixed(2)}`}
        </span>
        {tokens !== undefined && largest > 0 && (
          <span className="progress" style={{ '--at': `${(tokens / largest) * 100}%` } as CSSProperties} aria-hidden="true">
            <i className={lookOf(piece.type)} />
          </span>
        )}
      </div>
    </li>
  );
}

const roleNames = { user: 'User', assistant: 'Assistant', system: 'System' } as const;

const when = (time: string) => `${formatDay(time)}, ${formatClock(time)}`;

/** What it is, and the way to it. */
function PieceLink({ piece, place }: Pick<PieceRowProps, 'piece' | 'place'>) {
  const { workspaceId, agentId, promptId, promptName } = place;
  const { id, type, sessionId, documentId, role, kind, createdAt, title } = piece;
  if (type === 'prompt') {
    const version = place.versionNumber(id);
    const name = `${promptName ?? 'Prompt'}${version === undefined ? '' : `, v${version}`}`;
    if (promptId === undefined) return name;
    return (
      <Link to="/w/$workspaceId/prompts/$promptId" params={{ workspaceId, promptId }} search={version === undefined ? {} : { version }}>
        {name}
      </Link>
    );
  }
  if (documentId !== undefined) {
    // The document's page marks the chunk.
    const marked: Record<never, never> = { chunk: id };
    return (
      <Link to="/w/$workspaceId/knowledge/$documentId" params={{ workspaceId, documentId }} search={marked}>
        <span dir="auto">{title || 'Document'}</span>
      </Link>
    );
  }
  const label =
    type === 'message'
      ? role
        ? roleNames[role]
        : 'Message'
      : type === 'summary'
        ? 'The session so far'
        : kind
          ? memoryKinds[kind]
          : 'Memory';
  const words = createdAt === undefined ? label : `${label}, ${when(createdAt)}`;
  if (sessionId === undefined) return words;
  // The session's page scrolls to it and marks it.
  const marked: Record<never, never> = type === 'message' ? { message: id } : { memory: id };
  return (
    <Link to="/w/$workspaceId/agents/$agentId/sessions/$sessionId" params={{ workspaceId, agentId, sessionId }} search={marked}>
      {words}
    </Link>
  );
}
