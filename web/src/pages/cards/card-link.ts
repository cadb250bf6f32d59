export const cardLink = (cardId: string) => `${location.origin}/cards/${cardId}`
