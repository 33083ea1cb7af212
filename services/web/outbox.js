// The answer that has no outcome yet, kept across a reload: a recording is not lost when a phone
// closes the page.  IndexedDB, because it holds a Blob.  Where there is none the answer lives as long
// as the page.

const DATABASE = "poise";
const STORE = "outbox";

/** Of a tab that was closed for good in the middle of a turn; no session is resumed after that. */
const FORGET_MS = 60 * 60 * 1000;

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);

    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} act
 * @returns {Promise<any>} null where there is nothing, or no storage
 */
async function within(mode, act) {
  try {
    const database = await open();

    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));

      transaction.oncomplete = () => {
        database.close();
        resolve(request.result ?? null);
      };
      transaction.onabort = () => {
        database.close();
        reject(transaction.error);
      };
    });
  } catch {
    return null;
  }
}

/** @param {import("./types.js").Answer} answer */
export function keepAnswer(answer) {
  return within("readwrite", (store) => store.put({ answer, at: Date.now() }, answer.sessionId));
}

/**
 * @param {string} sessionId
 * @returns {Promise<import("./types.js").Answer | null>}
 */
export async function keptAnswer(sessionId) {
  return (await within("readonly", (store) => store.get(sessionId)))?.answer ?? null;
}

/** @param {string} sessionId */
export function dropAnswer(sessionId) {
  return within("readwrite", (store) => store.delete(sessionId));
}

export function dropOldAnswers() {
  return within("readwrite", (store) => {
    const request = store.openCursor();

    request.onsuccess = () => {
      const cursor = request.result;

      if (!cursor) return;
      if (Date.now() - cursor.value.at > FORGET_MS) cursor.delete();
      cursor.continue();
    };
    return request;
  });
}
