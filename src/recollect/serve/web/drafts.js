// What has somebody begun to write, and not saved? It is kept for this tab alone, and goes with what it was written about.

const NAME = "recollect-draft ";
const nameOf = (space, id) => `${NAME}${space ?? ""} ${id}`;

/** Keeps what somebody has begun to write of a record; null where it is saved or dropped. */
export function keepDraft(space, id, draft) {
  try {
    if (draft) sessionStorage.setItem(nameOf(space, id), JSON.stringify(draft));
    else sessionStorage.removeItem(nameOf(space, id));
  } catch {
    return; // a browser that keeps nothing
  }
}

export function draftOf(space, id) {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(space, id)));
  } catch {
    return null;
  }
}

/** The ids of the records of which something is begun, each with its space. */
export function drafts() {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith(NAME)).map((name) => {
      const [space, id] = [name.slice(NAME.length, name.lastIndexOf(" ")), name.slice(name.lastIndexOf(" ") + 1)];
      return { space: space || null, id };
    });
  } catch {
    return [];
  }
}

/** Drops what was begun of some records: what was forgotten must not stay in the tab, nor what was written with a token. */
export function dropDrafts(which = () => true) {
  for (const one of drafts().filter(which)) keepDraft(one.space, one.id, null);
}
