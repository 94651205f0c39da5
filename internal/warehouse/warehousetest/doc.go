// Package warehousetest is what every warehouse store must do. A store's own
// test calls [Run]; what only one store has (links, say) is tested beside it.
package warehousetest
