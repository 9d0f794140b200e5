import { formatCount } from '../../../design/numbers.ts';
import { nameMoment } from '../conversation/days.ts';
import { timeOfId } from '../conversation/message-ids.ts';
import { useSessionView } from '../session-view.ts';

/** By its number where that is known, else by its time, which its id carries. */
export function MessageLink({ messageId }: { readonly messageId: string }) {
  const { pages, goToMessage } = useSessionView();
  const place = pages.placeOf(messageId);
  return (
    <button type="button" className="link" onClick={() => goToMessage(messageId)}>
      {place === undefined ? `message of ${nameMoment(timeOfId(messageId))}` : `message ${formatCount(place + 1)}`}
    </button>
  );
}
