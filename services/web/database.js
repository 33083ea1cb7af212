// What this browser keeps of an interview beside the little in memory.js: IndexedDB, because it holds Blobs.
// Where there is none everything lives as long as the page.
//
//   outbox       the answer that has no outcome yet, by session
//   parts        of recordings that are no answer yet, by session, recording and number
//   recordings   the candidate's own voice, to be heard again: never sent anywhere from here
//   interviews   those that are over, by their id

const DATABASE = "poise";
const STORES = ["outbox", "parts", "recordings", "interviews"];

/** @typedef {"outbox" | "parts" | "recordings" | "interviews"} Store */

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 2);

    request.onupgradeneeded = () => {
      const there = request.result.objectStoreNames;

      for (const store of STORES) if (!there.contains(store)) request.result.createObjectStore(store);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param {Store} name
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} act
 * @returns {Promise<any>} null where there is nothing, or no storage
 */
export async function within(name, mode, act) {
  try {
    const database = await open();

    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(name, mode);
      const request = act(transaction.objectStore(name));

      database.onversionchange = () => database.close();
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

/** Everything of everybody. */
export async function eraseAll() {
  for (const store of STORES) await within(/** @type {Store} */ (store), "readwrite", (one) => one.clear());
}

/**
 * Every key that begins so.
 * @param {string[]} beginning
 */
export function under(beginning) {
  return IDBKeyRange.bound(beginning, [...beginning, []]);
}

/**
 * Deletes what a test finds too old.
 * @param {Store} name
 * @param {(value: any) => boolean} isOld
 */
export function sweep(name, isOld) {
  return within(name, "readwrite", (store) => {
    const request = store.openCursor();

    request.onsuccess = () => {
      const cursor = request.result;

      if (!cursor) return;
      if (isOld(cursor.value)) cursor.delete();
      cursor.continue();
    };
    return request;
  });
}
