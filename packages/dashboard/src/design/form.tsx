import { type ComponentProps, createContext, type FormEvent, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { complaintAbout, type FormControl, isControl } from './form-complaints.ts';

interface FormFields {
  /** What is wrong with a field, by the id of its control. */
  readonly complaints: ReadonlyMap<string, string>;
  readonly noteRefusal: () => void;
}

const none: ReadonlyMap<string, string> = new Map();
const FormContext = createContext<FormFields>({ complaints: none, noteRefusal: () => {} });

/** What a field shows as wrong: what the form found when it was sent, else what its page says. */
export function useFieldError(id: string, error: string | undefined): string | undefined {
  const { complaints, noteRefusal } = useContext(FormContext);
  useEffect(() => {
    if (error) noteRefusal();
  }, [error, noteRefusal]);
  return complaints.get(id) ?? error;
}

/** On a group of controls that is wrong as a whole: it takes the focus, and its words are read. */
export const wrongGroup = { 'data-wrong': '', tabIndex: -1 } as const;

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'noValidate'> {
  /** Called when nothing is missing. The browser does not send the form itself. */
  readonly onSubmit: () => void;
}

/**
 * The only form of the dashboard. What is missing or wrong stands under its field in our words, not in the browser's bubble,
 * and the first such field takes the focus, whether the form or the service refused it.
 */
export function Form({ onSubmit, onInput, children, ref, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [complaints, setComplaints] = useState(none);
  // Until something is typed, a refusal is the answer to what was sent.
  const awaitsAnswer = useRef(false);
  const noteRefusal = useCallback(() => {
    if (!awaitsAnswer.current) return;
    awaitsAnswer.current = false;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-wrong]')?.focus();
  }, []);
  // The words are there before the focus comes, so that they are read with the field.
  useEffect(() => {
    if (complaints.size > 0) noteRefusal();
  }, [complaints, noteRefusal]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A dialog is inside the form of its page for React, though not in the document.
    event.stopPropagation();
    const found = new Map<string, string>();
    for (const control of event.currentTarget.elements) {
      const complaint = isControl(control) && complaintAbout(control, labelOf(control));
      if (complaint) found.set(control.id, complaint);
    }
    awaitsAnswer.current = true;
    setComplaints(found.size > 0 ? found : none);
    if (found.size === 0) onSubmit();
  };
  const fields = useMemo(() => ({ complaints, noteRefusal }), [complaints, noteRefusal]);
  return (
    <form
      {...rest}
      noValidate
      ref={(element) => {
        form.current = element;
        if (typeof ref === 'function') ref(element);
        else if (ref) ref.current = element;
      }}
      onSubmit={submit}
      onInput={(event) => {
        awaitsAnswer.current = false;
        const { id } = event.target as HTMLElement;
        if (complaints.has(id)) setComplaints(new Map([...complaints].filter(([other]) => other !== id)));
        onInput?.(event);
      }}
    >
      <FormContext value={fields}>{children}</FormContext>
    </form>
  );
}

/** The label without what stands beside it, such as "(optional)". */
function labelOf(control: FormControl): string {
  return control.labels?.[0]?.firstChild?.textContent ?? control.getAttribute('aria-label') ?? 'This';
}
