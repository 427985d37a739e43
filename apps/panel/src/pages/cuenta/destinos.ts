/** Where somebody arrives who has just logged in. */
export const INICIO = '/inicio';

/** The page of one's own account. */
export const CUENTA = '/cuenta';
